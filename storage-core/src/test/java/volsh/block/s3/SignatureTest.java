package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;

/** Ours are the signatures that the SDK makes of the same requests. */
final class SignatureTest {
    private static final List<AwsCredentials> WHO = List.of(
            AwsBasicCredentials.create("key", "secret/+="), AwsSessionCredentials.create("other", "hidden", "token//=="));
    private static final List<String> KEYS = List.of("blocks/07/0000000000000007", "a b+c/ü~%/x", "_volumes/data-1");

    @Test
    void sameAsTheSdk() {
        var signature = new Signature("eu-central-1");
        for (var who : WHO) {
            for (var key : KEYS) {
                for (var now : List.of(Instant.parse("2026-03-01T23:59:59Z"), Instant.parse("2026-03-02T00:00:00Z"))) {
                    assertThat(ours(signature, key, who, now)).isEqualTo(theirs(key, who, now)).contains("Signature=");
                }
            }
        }
    }

    private static String ours(Signature signature, String key, AwsCredentials who, Instant now) {
        var headers = new TreeMap<String, String>();
        headers.put("host", "store.example:9000");
        headers.put("range", "bytes=5-99");
        signature.sign("GET", "/bucket/" + Signature.encoded(key), headers, Signature.NO_BODY, who, now);
        return headers.get("authorization");
    }

    private static String theirs(String key, AwsCredentials who, Instant now) {
        var request = SdkHttpFullRequest.builder().method(SdkHttpMethod.GET)
                .uri(URI.create("http://store.example:9000/bucket/" + Signature.encoded(key)))
                .putHeader("Range", "bytes=5-99").build();
        var signed = AwsV4HttpSigner.create().sign(each -> each.identity(who).request(request)
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3").putProperty(AwsV4HttpSigner.REGION_NAME, "eu-central-1")
                .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false).putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(now, ZoneOffset.UTC)));
        return signed.request().firstMatchingHeader("Authorization").orElseThrow();
    }
}
