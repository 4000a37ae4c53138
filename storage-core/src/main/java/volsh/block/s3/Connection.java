package volsh.block.s3;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import volsh.block.S3Options;

/**
 * Builds the SDK's client, for what {@link WireRequests} does not speak: listings, deletions by the thousand, and the
 * beginning and end of uploads in parts.
 *
 * <p>It never retries by itself: {@link volsh.block.Retrying} does, in one place for all stores. It goes where the wire
 * goes: through the same proxy, to the region of an Amazon bucket, and to no other host, whatever a response says.
 * Certificates are verified, against {@link TrustedCertificates}.
 */
final class Connection {
    static final Duration CONNECT = Duration.ofSeconds(5);
    static final Duration SILENCE = Duration.ofSeconds(20);
    private static final Duration IDLE = Duration.ofSeconds(20);

    private Connection() {}

    static S3Client open(S3Options options, String region, TrustedCertificates trusted, Optional<HttpProxy> proxy)
            throws IOException {
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(http(options, trusted).proxyConfiguration(HttpProxy.forSdk(proxy)))
                .credentialsProvider(credentials(options))
                .region(Region.of(region))
                .crossRegionAccessEnabled(options.endpoint().isEmpty())
                .forcePathStyle(options.pathStyle())
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .overrideConfiguration(each -> {
                    each.retryStrategy(AwsRetryStrategy.doNotRetry()).apiCallAttemptTimeout(options.timeout());
                    options.profile().ifPresent(each::defaultProfileName);
                });
        options.endpoint().ifPresent(builder::endpointOverride);
        try {
            return builder.build();
        } catch (SdkException wrong) {
            throw S3Failures.settings(wrong);
        }
    }

    private static Apache5HttpClient.Builder http(S3Options options, TrustedCertificates trusted) throws IOException {
        var http = Apache5HttpClient.builder()
                .maxConnections(options.connections())
                .connectionTimeout(shorter(CONNECT, options.timeout()))
                .socketTimeout(shorter(SILENCE, options.timeout()))
                .connectionAcquisitionTimeout(options.timeout())
                .connectionMaxIdleTime(IDLE)
                .tcpKeepAlive(true);
        trusted.managers().ifPresent(managers -> http.tlsTrustManagersProvider(() -> managers));
        return http;
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    static AwsCredentialsProvider credentials(S3Options options) {
        if (options.anonymous()) {
            return AnonymousCredentialsProvider.create();
        }
        AwsCredentialsProvider chosen = options.profile()
                .<AwsCredentialsProvider>map(ProfileCredentialsProvider::create)
                .orElseGet(() -> DefaultCredentialsProvider.builder().build());
        return new NamedCredentials(chosen, options.profile());
    }
}
