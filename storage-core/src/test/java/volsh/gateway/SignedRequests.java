package volsh.gateway;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Signed requests as bytes, for tests that send only some of them. */
record SignedRequests(AccessKey access, int port) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
            .withZone(ZoneOffset.UTC);

    static SignedRequests with(AccessKeys keys, Gateway gateway) throws IOException {
        return new SignedRequests(keys.create(java.util.List.of(), "", false, Instant.now(), Optional.empty()),
                gateway.address().getPort());
    }

    Socket connect() throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        return socket;
    }

    /** The head of a request for an object of the bucket data, with the digest of this body. */
    byte[] head(String method, String key, byte[] body, String more) {
        String time = TIME.format(Instant.now());
        String digest = SigningDigests.hex(SigningDigests.of("SHA-256").digest(body));
        String host = "127.0.0.1:" + port;
        String scope = time.substring(0, 8) + "/us-east-1/s3/aws4_request";
        String canonical = "%s\n/data/%s\n\nhost:%s\nx-amz-content-sha256:%s\nx-amz-date:%s\n\n%s\n%s".formatted(
                method, key, host, digest, time, "host;x-amz-content-sha256;x-amz-date", digest);
        byte[] signing = ("AWS4" + access.secret()).getBytes(StandardCharsets.UTF_8);
        for (String word : scope.split("/")) {
            signing = SigningDigests.hmac(signing, word);
        }
        String signature = SigningDigests.hex(SigningDigests.hmac(signing, "AWS4-HMAC-SHA256\n%s\n%s\n%s".formatted(
                time, scope, SigningDigests.hex(SigningDigests.sha256(canonical)))));
        return ("%s /data/%s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nx-amz-content-sha256: %s\r\n"
                + "x-amz-date: %s\r\n%sAuthorization: AWS4-HMAC-SHA256 Credential=%s/%s, "
                + "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=%s\r\n\r\n").formatted(method, key,
                        host, body.length, digest, time, more, access.id(), scope, signature)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
