package volsh.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures of the examples in Amazon's documentation of signature version 4, and what differs from them. */
final class SignatureCheckTest {
    private static final Instant THEN = Instant.parse("2013-05-24T00:00:00Z");
    private static final String CREDENTIAL = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
    private static final String NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir
    Path state;

    private SignatureCheck check;

    @BeforeEach
    void writeKeys() throws IOException {
        Files.createDirectories(state.resolve("gateway"));
        Files.writeString(state.resolve("gateway/keys.json"), """
                {"keys": [{"id": "AKIAIOSFODNN7EXAMPLE", "secret": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "volumes": [], "prefix": "", "readOnly": false, "created": "2013-01-01T00:00:00Z"},
                {"id": "EXPIRED", "secret": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "volumes": [], "prefix": "", "readOnly": false, "created": "2013-01-01T00:00:00Z",
                "expires": "2013-05-24T00:00:00Z"}]}
                """);
        check = new SignatureCheck(new AccessKeys(state));
    }

    private static Headers headers(String... namesAndValues) {
        var headers = new Headers();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return headers;
    }

    private static S3Request request(String method, String path, Map<String, String> query, Headers headers) {
        return new S3Request(method, path, new TreeMap<>(query), headers, "examplebucket", path.substring(1));
    }

    private static S3Request get(String signature) {
        return request("GET", "/test.txt", Map.of(), headers("Host", "examplebucket.s3.amazonaws.com",
                "Range", "bytes=0-9", "x-amz-content-sha256", NOTHING, "x-amz-date", "20130524T000000Z",
                "Authorization", "AWS4-HMAC-SHA256 Credential=" + CREDENTIAL
                        + ",SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=" + signature));
    }

    private static final String RIGHT = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";

    @Test
    void aGetIsSigned() throws IOException {
        var signed = check.check(get(RIGHT), THEN);
        assertThat(signed.key().id()).isEqualTo("AKIAIOSFODNN7EXAMPLE");
        assertThat(signed.payload()).isEqualTo(NOTHING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb42", "0", "é"})
    void anotherSignatureIsRefused(String wrong) {
        assertThatThrownBy(() -> check.check(get(wrong), THEN)).isInstanceOfSatisfying(S3Refusal.class,
                refused -> assertThat(refused.code()).isEqualTo("SignatureDoesNotMatch"));
    }

    @Test
    void aClockMayBeOffByAQuarterOfAnHour() throws IOException {
        check.check(get(RIGHT), THEN.plus(SignatureCheck.SKEW_MAX));
        for (var off : new Duration[] {SignatureCheck.SKEW_MAX.plusSeconds(1), Duration.ofSeconds(-901)}) {
            assertThatThrownBy(() -> check.check(get(RIGHT), THEN.plus(off))).isInstanceOfSatisfying(S3Refusal.class,
                    refused -> assertThat(refused.code()).isEqualTo("RequestTimeTooSkewed"));
        }
    }

    private static S3Request presigned(Map<String, String> changes) {
        var query = new TreeMap<>(Map.of("X-Amz-Algorithm", "AWS4-HMAC-SHA256", "X-Amz-Credential", CREDENTIAL,
                "X-Amz-Date", "20130524T000000Z", "X-Amz-Expires", "86400", "X-Amz-SignedHeaders", "host",
                "X-Amz-Signature", "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"));
        query.putAll(changes);
        return request("GET", "/test.txt", query, headers("Host", "examplebucket.s3.amazonaws.com"));
    }

    @Test
    void aUrlIsSignedUntilItExpires() throws IOException {
        assertThat(check.check(presigned(Map.of()), THEN.plusSeconds(86_400)).payload())
                .isEqualTo("UNSIGNED-PAYLOAD");
        assertThatThrownBy(() -> check.check(presigned(Map.of()), THEN.plusSeconds(86_401)))
                .hasMessageContaining("expired at 2013-05-25");
        assertThatThrownBy(() -> check.check(presigned(Map.of("X-Amz-Expires", "86401")), THEN))
                .hasMessageContaining("does not match");
        assertThatThrownBy(() -> check.check(presigned(Map.of("X-Amz-Expires", "604801")), THEN))
                .hasMessageContaining("from 1 to 604800");
        assertThatThrownBy(() -> check.check(presigned(Map.of("acl", "")), THEN)).hasMessageContaining("not match");
    }

    /** A client that names one region after another takes no memory for each. */
    @Test
    void fewSigningKeysAreKept() throws IOException {
        for (int i = 0; i < SignatureCheck.SIGNING_KEYS_MAX + 100; i++) {
            var other = presigned(Map.of("X-Amz-Credential", CREDENTIAL.replace("us-east-1", "region-" + i)));
            assertThatThrownBy(() -> check.check(other, THEN)).hasMessageContaining("does not match");
        }
        assertThat(check.knownSigningKeys()).isBetween(1, SignatureCheck.SIGNING_KEYS_MAX);
        check.check(get(RIGHT), THEN);
    }

    @Test
    void whatIsMissingIsNamed() {
        var cases = Map.of(
                "unsigned requests are refused", headers("Host", "h"),
                "only signature version 4", headers("Host", "h", "Authorization", "AWS AKIA:abc"),
                "Credential is missing", headers("Host", "h", "x-amz-date", "20130524T000000Z", "x-amz-content-sha256",
                        NOTHING, "Authorization", "AWS4-HMAC-SHA256 SignedHeaders=host,Signature=0"),
                "must be ID/DATE/REGION/s3", headers("Host", "h", "x-amz-date", "20130524T000000Z",
                        "x-amz-content-sha256", NOTHING, "Authorization",
                        "AWS4-HMAC-SHA256 Credential=A/B,SignedHeaders=host,Signature=0"),
                "no access key of this id", headers("Host", "h", "x-amz-date", "20130524T000000Z",
                        "x-amz-content-sha256", NOTHING, "Authorization", "AWS4-HMAC-SHA256 Credential=OTHER"
                                + "/20130524/r/s3/aws4_request,SignedHeaders=host,Signature=0"),
                "expired at", headers("Host", "h", "x-amz-date", "20130524T000000Z",
                        "x-amz-content-sha256", NOTHING, "Authorization", "AWS4-HMAC-SHA256 Credential=EXPIRED"
                                + "/20130524/r/s3/aws4_request,SignedHeaders=host,Signature=0"),
                "Host must be signed", headers("Host", "h", "x-amz-date", "20130524T000000Z",
                        "x-amz-content-sha256", NOTHING, "Authorization", "AWS4-HMAC-SHA256 Credential=" + CREDENTIAL
                                + ",SignedHeaders=x-amz-date,Signature=0"));
        cases.forEach((said, headers) -> assertThatThrownBy(
                () -> check.check(request("GET", "/x", Map.of(), headers), THEN)).isInstanceOf(S3Refusal.class)
                .hasMessageContaining(said));
    }

    // ---- chunks

    private SignatureCheck.Signed chunkedPut() throws IOException {
        return check.check(request("PUT", "/examplebucket/chunkObject.txt", Map.of(), headers(
                "Host", "s3.amazonaws.com", "x-amz-date", "20130524T000000Z", "x-amz-storage-class",
                "REDUCED_REDUNDANCY", "Content-Encoding", "aws-chunked", "x-amz-decoded-content-length", "66560",
                "Content-Length", "66824", "x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                "Authorization", "AWS4-HMAC-SHA256 Credential=" + CREDENTIAL + ",SignedHeaders=content-encoding;"
                        + "content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
                        + "x-amz-storage-class,Signature="
                        + "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9")), THEN);
    }

    private static byte[] chunks(String first) {
        var body = new ByteArrayOutputStream();
        chunk(body, 65_536, first);
        chunk(body, 1024, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497");
        chunk(body, 0, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9");
        return body.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream body, int size, String signature) {
        body.writeBytes("%x;chunk-signature=%s\r\n%s\r\n".formatted(size, signature, "a".repeat(size))
                .getBytes(StandardCharsets.US_ASCII));
    }

    private static final String FIRST = "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648";

    @Test
    void chunksAreSigned() throws IOException {
        var body = new ChunkedBody(new ByteArrayInputStream(chunks(FIRST)), chunkedPut().chunks());
        assertThat(body.readAllBytes()).hasSize(66_560).containsOnly('a');
    }

    @Test
    void aChangedChunkIsRefused() throws IOException {
        byte[] changed = chunks(FIRST);
        changed[1000] = 'b';
        for (byte[] wrong : new byte[][] {changed, chunks(FIRST.replace('a', 'b'))}) {
            var body = new ChunkedBody(new ByteArrayInputStream(wrong), chunkedPut().chunks());
            assertThatThrownBy(body::readAllBytes).hasMessageContaining("signature of a part of the body");
        }
    }

    /** Cut anywhere, a body is never taken for a whole one. */
    @Test
    void aBodyThatIsCutIsRefused() throws IOException {
        byte[] whole = chunks(FIRST);
        for (int length = 0; length < whole.length - 4; length += length < 200 || length > 66_700 ? 1 : 4099) {
            var body = new ChunkedBody(new ByteArrayInputStream(whole, 0, length), chunkedPut().chunks());
            assertThatThrownBy(body::readAllBytes).as("cut at " + length).isInstanceOf(S3Refusal.class);
        }
    }

    @Test
    void trailersOfUnsignedChunks() throws IOException {
        var body = new ChunkedBody(new ByteArrayInputStream("3\r\nabc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII)), null);
        assertThat(body.readAllBytes()).isEqualTo("abc".getBytes(StandardCharsets.US_ASCII));
        assertThat(body.trailers()).containsExactly(Map.entry("x-amz-checksum-crc32", "NSRBwg=="));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\nabc\r\n0\r\n\r\n", "-3\r\nabc\r\n", "3\r\nabcd\r\n0\r\n\r\n",
            "7fffffffffffffff\r\nabc", "3;\r\nabc\r\n0\r\nno colon\r\n\r\n"})
    void chunksThatAreNone(String text) {
        var body = new ChunkedBody(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)), null);
        assertThatThrownBy(body::readAllBytes).isInstanceOf(S3Refusal.class);
    }

    @Test
    void endlessLinesAndTrailersAreRefused() {
        for (String text : new String[] {"3;" + "x".repeat(5000) + "\r\nabc\r\n0\r\n\r\n",
                "0\r\n" + java.util.stream.IntStream.range(0, 20).mapToObj("name%d:x\r\n"::formatted)
                        .collect(java.util.stream.Collectors.joining()) + "\r\n"}) {
            var body = new ChunkedBody(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)), null);
            assertThatThrownBy(body::readAllBytes).hasMessageContaining("aws-chunked");
        }
    }

    /** The check value of this CRC in the catalogue of CRCs: of the digits 1 to 9. */
    @Test
    void crc64OfTheCatalogue() {
        var crc = new Crc64Nvme();
        crc.update("123456789".getBytes(StandardCharsets.US_ASCII));
        assertThat(crc.getValue()).isEqualTo(0xAE8B14860A799888L);
        byte[] bytes = new byte[1000];
        new java.util.Random(1).nextBytes(bytes);
        var whole = new Crc64Nvme();
        whole.update(bytes);
        var single = new Crc64Nvme();
        for (byte each : bytes) {
            single.update(each);
        }
        assertThat(whole.getValue()).isEqualTo(single.getValue());
    }
}
