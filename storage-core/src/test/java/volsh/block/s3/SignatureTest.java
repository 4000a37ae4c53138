package volsh.block.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;

/** Ours are the signatures that the SDK makes of the same requests, and that Amazon documents. */
@Tag("volume")
final class SignatureTest {
    private static final List<AwsCredentials> WHO = List.of(
            AwsBasicCredentials.create("key", "secret/+="),
            AwsSessionCredentials.create("other", "hidden", "token//=="));
    private static final List<String> KEYS = List.of("blocks/07/0000000000000007", "a b+c/ü~%/x", "_volumes/data-1");

    @Test
    void sameAsTheSdk() {
        var signature = new Signature("eu-central-1", "s3");
        for (var who : WHO) {
            for (var key : KEYS) {
                for (var now : List.of(Instant.parse("2026-03-01T23:59:59Z"), Instant.parse("2026-03-02T00:00:00Z"))) {
                    assertThat(ours(signature, key, who, now)).isEqualTo(theirs(key, who, now)).contains("Signature=");
                }
            }
        }
    }

    /** The examples of "Authenticating Requests: Using the Authorization Header" in Amazon's documentation of S3. */
    @Test
    void sameAsInTheDocumentation() {
        assertThat(documented("GET", "test.txt", Map.of("range", "bytes=0-9"), Signature.NO_BODY))
                .isEqualTo("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
        assertThat(documented("PUT", "test$file.text",
                Map.of("date", "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class", "REDUCED_REDUNDANCY"),
                "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"))
                .endsWith("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
        assertThat(documented("GET", "?max-keys=2&prefix=J", Map.of(), Signature.NO_BODY))
                .endsWith("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    private static String documented(String method, String object, Map<String, String> more, String payload) {
        var headers = new TreeMap<>(more);
        headers.put("host", "examplebucket.s3.amazonaws.com");
        String path = '/' + (object.startsWith("?") ? object : Signature.encoded(object));
        var who = AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        var then = Instant.parse("2013-05-24T00:00:00Z");
        new Signature("us-east-1", "s3").sign(method, path, headers, payload, who, then);
        return headers.get("authorization");
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
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-central-1")
                .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(now, ZoneOffset.UTC)));
        return signed.request().firstMatchingHeader("Authorization").orElseThrow();
    }
}
