package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.utils.internal.SystemSettingUtilsTestBackdoor;
import volsh.block.RefusedException;
import volsh.block.StoreUrl;

/** Where the requests for a bucket go, and through which proxy: the answers are the ones of Amazon's documentation. */
@Tag("volume")
final class EndpointTest {
    /** Of the SDK, which sees none of this machine's AWS variables meanwhile. */
    private static final Map<String, String> SETTINGS = Map.of("aws.configFile", "/dev/null",
            "aws.sharedCredentialsFile", "/dev/null", "aws.disableEc2Metadata", "true");
    private static final List<String> MORE =
            List.of("aws.region", "aws.useDualstackEndpoint", "aws.useFipsEndpoint", "aws.endpointUrlS3");

    @BeforeEach
    void settings() {
        SETTINGS.forEach(System::setProperty);
        System.getenv().keySet().stream().filter(name -> name.startsWith("AWS_"))
                .forEach(name -> SystemSettingUtilsTestBackdoor.addEnvironmentVariableOverride(name, null));
    }

    @AfterEach
    void noSettings() {
        SETTINGS.keySet().forEach(System::clearProperty);
        MORE.forEach(System::clearProperty);
        SystemSettingUtilsTestBackdoor.clearEnvironmentVariableOverrides();
    }

    private static Endpoint endpoint(String url) throws IOException {
        return Endpoint.of(BucketPrefix.of(StoreUrl.of(url)), StoreUrl.of(url).s3Options(), Map.of());
    }

    /** The URL of an object, and the scope of the signature. */
    private static void assertAddress(String url, String address) throws IOException {
        var found = endpoint(url);
        assertThat(found.server().getScheme() + "://" + found.server().getRawAuthority() + found.base() + "key "
                + found.region() + '/' + found.service()).isEqualTo(address);
    }

    @Test
    void amazonsBucketsArePartOfTheHostName() throws IOException {
        assertAddress("s3://amzn-s3-demo-bucket1/p?region=us-west-2",
                "https://amzn-s3-demo-bucket1.s3.us-west-2.amazonaws.com/key us-west-2/s3");
        assertAddress("s3://amzn-s3-demo-bucket1?region=cn-north-1",
                "https://amzn-s3-demo-bucket1.s3.cn-north-1.amazonaws.com.cn/key cn-north-1/s3");
        assertAddress("s3://amzn-s3-demo-bucket1?region=us-gov-west-1",
                "https://amzn-s3-demo-bucket1.s3.us-gov-west-1.amazonaws.com/key us-gov-west-1/s3");
    }

    /** No certificate is for two levels of a host name, so buckets with dots are in the path, too. */
    @Test
    void orOfThePath() throws IOException {
        assertAddress("s3://amzn-s3-demo-bucket1?region=us-west-2&path-style=true",
                "https://s3.us-west-2.amazonaws.com/amzn-s3-demo-bucket1/key us-west-2/s3");
        assertAddress("s3://example.com?region=eu-west-1",
                "https://s3.eu-west-1.amazonaws.com/example.com/key eu-west-1/s3");
    }

    @Test
    void otherServersWantThemInThePath() throws IOException {
        assertAddress("s3://mine?endpoint=https://minio.example:9000",
                "https://minio.example:9000/mine/key us-east-1/s3");
        assertAddress("s3://mine?endpoint=https://minio.example/s3/&region=rack-1",
                "https://minio.example/s3/mine/key rack-1/s3");
        assertAddress("s3://mine?endpoint=http://127.0.0.1:80", "http://127.0.0.1:80/mine/key us-east-1/s3");
        assertAddress("s3://mine?endpoint=http://[::1]:9000", "http://[::1]:9000/mine/key us-east-1/s3");
        assertAddress("s3://mine?endpoint=https://minio.example:9000&path-style=false",
                "https://mine.minio.example:9000/key us-east-1/s3");
    }

    @Test
    void settingsOfTheSdkCount() throws IOException {
        System.setProperty("aws.region", "eu-central-1");
        assertAddress("s3://mine", "https://mine.s3.eu-central-1.amazonaws.com/key eu-central-1/s3");
        System.setProperty("aws.useDualstackEndpoint", "true");
        assertAddress("s3://mine", "https://mine.s3.dualstack.eu-central-1.amazonaws.com/key eu-central-1/s3");
        System.setProperty("aws.useFipsEndpoint", "true");
        assertAddress("s3://mine?region=us-east-2",
                "https://mine.s3-fips.dualstack.us-east-2.amazonaws.com/key us-east-2/s3");
        assertAddress("s3://mine?endpoint=https://minio.example", "https://minio.example/mine/key us-east-1/s3");
    }

    @Test
    void anEndpointOfTheSdksSettingsStandsForAmazon() throws IOException {
        System.setProperty("aws.region", "eu-central-1");
        System.setProperty("aws.endpointUrlS3", "https://elsewhere.example");
        assertAddress("s3://mine?path-style=true", "https://elsewhere.example/mine/key eu-central-1/s3");
        System.setProperty("aws.endpointUrlS3", "http://elsewhere.example");
        assertThatThrownBy(() -> endpoint("s3://mine")).isInstanceOf(RefusedException.class)
                .hasMessageContaining("plain http");
        assertAddress("s3://mine?insecure=true", "http://mine.elsewhere.example/key eu-central-1/s3");
    }

    @Test
    void withoutARegionItIsSaidWhatToSet() {
        assertThatThrownBy(() -> endpoint("s3://mine")).isInstanceOf(RefusedException.class)
                .hasMessageContaining("--region").hasMessageNotContaining("amazon");
    }

    private static String proxy(String server, String... environment) throws IOException {
        var variables = new HashMap<String, String>();
        for (var each : environment) {
            variables.put(each.split("=", 2)[0], each.split("=", 2)[1]);
        }
        return HttpProxy.to(URI.create(server), variables).map(HttpProxy::toString).orElse("none");
    }

    @Test
    void proxiesAreTheOnesOfTheEnvironment() throws IOException {
        var amazon = "https://mine.s3.eu-west-1.amazonaws.com";
        assertThat(proxy(amazon)).isEqualTo("none");
        assertThat(proxy(amazon, "HTTPS_PROXY=http://user:pass@gate:3128", "HTTP_PROXY=http://other:1"))
                .isEqualTo("gate:3128");
        assertThat(proxy(amazon, "https_proxy=gate", "HTTPS_PROXY=http://other:1")).isEqualTo("gate:80");
        assertThat(proxy(amazon, "HTTP_PROXY=http://gate:3128/", "HTTPS_PROXY=")).isEqualTo("gate:3128");
        assertThat(proxy("http://minio.example", "HTTPS_PROXY=http://gate:3128")).isEqualTo("none");
        for (var exempt : List.of("*", "other, amazonaws.com", ".amazonaws.com", "*.eu-west-1.amazonaws.com",
                "MINE.s3.eu-west-1.amazonaws.com")) {
            assertThat(proxy(amazon, "HTTPS_PROXY=gate:1", "NO_PROXY=" + exempt)).as(exempt).isEqualTo("none");
        }
        assertThat(proxy(amazon, "HTTPS_PROXY=gate:1", "NO_PROXY=aws.com,s3,")).isEqualTo("gate:1");
        assertThat(proxy("http://127.0.0.1:9000", "HTTP_PROXY=gate:1")).as("this machine").isEqualTo("none");
        assertThatThrownBy(() -> proxy(amazon, "HTTPS_PROXY=socks5://user:secret@gate"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("HTTPS_PROXY").hasMessageNotContaining("secret");
    }
}
