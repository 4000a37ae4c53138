package volsh.block.s3;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.endpoint.AwsClientEndpointProvider;
import software.amazon.awssdk.awscore.endpoint.DualstackEnabledProvider;
import software.amazon.awssdk.awscore.endpoint.FipsEnabledProvider;
import software.amazon.awssdk.awscore.endpoints.AwsEndpointAttribute;
import software.amazon.awssdk.awscore.endpoints.authscheme.SigV4AuthScheme;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointParams;
import software.amazon.awssdk.services.s3.endpoints.S3EndpointProvider;
import volsh.block.RefusedException;
import volsh.block.RefusedException.Reason;
import volsh.block.S3Options;

/**
 * The server of a bucket, the path that its objects have there, and the region and service of signatures.
 *
 * <p>The SDK's endpoint rules derive it, for Amazon and for a store with an endpoint of its own alike: they know
 * Amazon's partitions, and which buckets cannot be part of a host name.
 */
record Endpoint(URI server, String base, String region, String service) {
    /** In the region given by the store or the environment. */
    static Endpoint of(BucketPrefix place, S3Options options, Map<String, String> environment) throws IOException {
        try {
            return of(place, options, region(place, options, environment));
        } catch (SdkException wrong) {
            throw S3Failures.settings(wrong);
        }
    }

    /** In this region. @throws SdkException if there is no such endpoint */
    static Endpoint of(BucketPrefix place, S3Options options, String region) throws IOException {
        var parameters = S3EndpointParams.builder().region(Region.of(region)).bucket(place.bucket())
                .forcePathStyle(options.pathStyle())
                .useDualStack(false)
                .useFips(false)
                .disableS3ExpressSessionAuth(true);     // requests are signed one by one
        override(options).ifPresentOrElse(own -> parameters.endpoint(own.toString()), () -> parameters
                .useDualStack(DualstackEnabledProvider.builder().profileName(profile(options)).build()
                        .isDualstackEnabled().orElse(false))
                .useFips(FipsEnabledProvider.builder().profileName(profile(options)).build()
                        .isFipsEnabled().orElse(false)));
        try {
            var found = S3EndpointProvider.defaultProvider().resolveEndpoint(parameters.build()).join();
            var signing = (SigV4AuthScheme) found.attribute(AwsEndpointAttribute.AUTH_SCHEMES).getFirst();
            var url = found.endpointUrl();
            var path = Optional.ofNullable(url.encodedPath()).orElse("").replaceAll("/+$", "");
            return new Endpoint(url.toUri(), path + '/', signing.signingRegion(), signing.signingName());
        } catch (CompletionException refused) {
            throw refused.getCause() instanceof SdkException wrong ? wrong : refused;
        }
    }

    /** Servers other than Amazon's rarely care about the region, but the signature needs one. */
    private static String region(BucketPrefix place, S3Options options, Map<String, String> environment)
            throws IOException {
        var named = options.region()
                .or(() -> options.endpoint().map(own -> environment.getOrDefault("AWS_REGION", "us-east-1")));
        try {
            return named.orElseGet(() -> DefaultAwsRegionProviderChain.builder().profileName(profile(options)).build()
                    .getRegion().id());
        } catch (SdkException none) {
            throw new RefusedException(Reason.WRONG_SETTINGS,
                    "no region is set for %s (set AWS_REGION, or add the store with --region)".formatted(place.name()));
        }
    }

    /** The endpoint of the store, or the one that the SDK's settings use in place of Amazon's. */
    private static Optional<URI> override(S3Options options) throws IOException {
        var found = options.endpoint().or(() -> AwsClientEndpointProvider.builder()
                .serviceEndpointOverrideEnvironmentVariable("AWS_ENDPOINT_URL_S3")
                .serviceEndpointOverrideSystemProperty("aws.endpointUrlS3")
                .serviceProfileProperty("s3")
                .profileName(profile(options))
                .resolveFromOverrides());
        if (!options.insecure() && found.filter(S3Options::isExposed).isPresent()) {
            throw new RefusedException(Reason.WRONG_SETTINGS,
                    "AWS_ENDPOINT_URL: plain http sends all data unencrypted; use https, or set insecure=true");
        }
        return found;
    }

    /** Null for the SDK's default. */
    private static @Nullable String profile(S3Options options) {
        return options.profile().orElse(null);
    }

    boolean isSecure() {
        return server.getScheme().equals("https");
    }

    int port() {
        return server.getPort() >= 0 ? server.getPort() : isSecure() ? 443 : 80;
    }
}
