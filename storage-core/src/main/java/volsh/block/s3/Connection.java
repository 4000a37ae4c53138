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
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import volsh.block.S3Options;

/**
 * Builds the SDK's client.
 *
 * <p>It never tries again by itself: {@link volsh.block.Retrying} does, in one place for all stores. It follows no
 * redirects, so credentials go to no other host. Certificates are verified, against {@link TrustedCertificates}.
 * Proxies come from {@code HTTPS_PROXY}, {@code HTTP_PROXY} and {@code NO_PROXY}.
 */
final class Connection {
    static final Duration CONNECT = Duration.ofSeconds(5);
    static final Duration SILENCE = Duration.ofSeconds(20);
    private static final Duration IDLE = Duration.ofSeconds(20);

    private Connection() {}

    static S3Client open(S3Options options) throws IOException {
        return open(options, TrustedCertificates.fromEnvironment());
    }

    static S3Client open(S3Options options, TrustedCertificates trusted) throws IOException {
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(AbortableHttp.over(http(options, trusted)))
                .credentialsProvider(credentials(options))
                .putAuthScheme(new ChecksummedSigning())
                .serviceConfiguration(each -> each
                        .pathStyleAccessEnabled(options.pathStyle())
                        .expectContinueEnabled(false))      // costs each put a round trip
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .overrideConfiguration(each -> {
                    each.retryStrategy(AwsRetryStrategy.doNotRetry()).apiCallAttemptTimeout(options.timeout());
                    options.profile().ifPresent(each::defaultProfileName);      // its region, too
                });
        options.endpoint().ifPresent(builder::endpointOverride);
        region(options).ifPresent(name -> builder.region(Region.of(name)));
        try {
            return builder.build();
        } catch (SdkException wrong) {
            throw Failures.settings(wrong);
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

    /** Other servers than Amazon's rarely care about the region, but the signature needs one. */
    static Optional<String> region(S3Options options) {
        return options.region().or(() -> options.endpoint().map(own -> System.getenv().getOrDefault("AWS_REGION", "us-east-1")));
    }
}
