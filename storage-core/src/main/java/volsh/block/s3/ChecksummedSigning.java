package volsh.block.s3;

import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.scheme.AwsV4AuthScheme;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.scheme.AuthScheme;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignRequest;
import software.amazon.awssdk.http.auth.spi.signer.AsyncSignedRequest;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.http.auth.spi.signer.SignedRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.IdentityProviders;

/**
 * Signature version 4 that covers an object by its CRC32C, which is among the signed headers, and not by a second pass
 * of SHA-256 over its bytes. Over TLS the SDK does so by itself; over plain HTTP, which is used on this machine or
 * where somebody said that it is {@code insecure}, it would not, and a put would cost twice the CPU
 * (docs/decisions/0009).
 */
final class ChecksummedSigning implements AuthScheme<AwsCredentialsIdentity>, HttpSigner<AwsCredentialsIdentity> {
    private final AwsV4AuthScheme usual = AwsV4AuthScheme.create();

    @Override
    public String schemeId() {
        return usual.schemeId();
    }

    @Override
    public IdentityProvider<AwsCredentialsIdentity> identityProvider(IdentityProviders providers) {
        return usual.identityProvider(providers);
    }

    @Override
    public HttpSigner<AwsCredentialsIdentity> signer() {
        return this;
    }

    @Override
    public SignedRequest sign(SignRequest<? extends AwsCredentialsIdentity> request) {
        return isCovered(request.request()) ? signAsIfOverTls(request) : usual.signer().sign(request);
    }

    /** A put with a checksum, to a port that is written out under either protocol: it is part of what is signed. */
    private static boolean isCovered(SdkHttpRequest request) {
        return request.protocol().equals("http") && request.method() == SdkHttpMethod.PUT
                && request.port() != 80 && request.port() != 443
                && request.firstMatchingHeader("x-amz-checksum-crc32c").isPresent();
    }

    private <I extends AwsCredentialsIdentity> SignedRequest signAsIfOverTls(SignRequest<I> request) {
        SignedRequest signed = usual.signer().sign(request.toBuilder()
                .request(request.request().toBuilder().protocol("https").build())
                .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false)
                .putProperty(AwsV4HttpSigner.CHUNK_ENCODING_ENABLED, false)
                .build());
        return signed.toBuilder().request(signed.request().toBuilder().protocol("http").build()).build();
    }

    @Override
    public CompletableFuture<AsyncSignedRequest> signAsync(AsyncSignRequest<? extends AwsCredentialsIdentity> request) {
        return usual.signer().signAsync(request);
    }
}
