package volsh.block.s3;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * The credentials of the default chain (environment, profile files, container, instance), or of one profile. Never
 * reveals them; says what to set when there are none.
 */
record NamedCredentials(AwsCredentialsProvider chain, Optional<String> profile)
        implements AwsCredentialsProvider, SdkAutoCloseable {
    /** There are no credentials; the message says where they were looked for. */
    static final class Missing extends RuntimeException {
        Missing(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    @Override
    public AwsCredentials resolveCredentials() {
        try {
            return chain.resolveCredentials();
        } catch (SdkClientException none) {
            profile.ifPresent(NamedCredentials::requireProfile);
            throw new Missing("no AWS credentials found", none);
        }
    }

    private static void requireProfile(String name) {
        if (ProfileFile.defaultProfileFile().profile(name).isEmpty()) {
            throw new Missing("no profile '%s' in the AWS configuration".formatted(name), null);
        }
    }

    @Override
    public String toString() {
        return profile.map(name -> "profile " + name).orElse("default credential chain");
    }

    @Override
    public void close() {
        if (chain instanceof SdkAutoCloseable closeable) {
            closeable.close();
        }
    }
}
