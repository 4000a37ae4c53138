package volsh.block.s3;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.SortedMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/**
 * Signature version 4 of requests to one service in one region. It covers all headers. An object is covered by its
 * CRC32C, which is among them, and not by a second pass of SHA-256 over its bytes (docs/decisions/0009).
 */
final class Signature {
    static final String NO_BODY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    static final String UNSIGNED = "UNSIGNED-PAYLOAD";

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
            .withZone(ZoneOffset.UTC);
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";

    private final String region;
    private final String service;
    private volatile DayKey dayKey = new DayKey("", "", new byte[0]);

    /** A signing key, valid for a day. */
    private record DayKey(String day, String secret, byte[] key) {}

    Signature(String region, String service) {
        this.region = region;
        this.service = service;
    }

    /**
     * Adds the signature; {@code headers} have lower-case names and include the host. A query after the path is ordered
     * by name, each with a value.
     */
    void sign(String method, String path, SortedMap<String, String> headers, String payload, AwsCredentials credentials,
            Instant now) {
        String time = TIME.format(now);
        headers.put("x-amz-date", time);
        headers.put("x-amz-content-sha256", payload);
        if (credentials instanceof AwsSessionCredentials session) {
            headers.put("x-amz-security-token", session.sessionToken());
        }
        String scope = time.substring(0, 8) + '/' + region + '/' + service + "/aws4_request";
        String names = String.join(";", headers.keySet());
        String canonical = canonical(method, path, headers, names, payload);
        String text = ALGORITHM + '\n' + time + '\n' + scope + '\n' + hex(sha256(canonical));
        headers.put("authorization",
                ALGORITHM + " Credential=" + credentials.accessKeyId() + '/' + scope + ", SignedHeaders=" + names
                        + ", Signature=" + hex(hmac(key(time.substring(0, 8), credentials.secretAccessKey()), text)));
    }

    private static String canonical(String method, String path, SortedMap<String, String> headers, String names,
            String payload) {
        int query = path.indexOf('?');
        var text = new StringBuilder(512).append(method).append('\n')
                .append(path, 0, query < 0 ? path.length() : query).append('\n')
                .append(query < 0 ? "" : path.substring(query + 1)).append('\n');
        headers.forEach((name, value) -> text.append(name).append(':').append(value.strip()).append('\n'));
        return text.append('\n').append(names).append('\n').append(payload).toString();
    }

    private byte[] key(String day, String secret) {
        var known = dayKey;
        if (!known.day.equals(day) || !known.secret.equals(secret)) {
            byte[] dated = hmac(("AWS4" + secret).getBytes(StandardCharsets.UTF_8), day);
            known = new DayKey(day, secret, hmac(hmac(hmac(dated, region), service), "aws4_request"));
            dayKey = known;
        }
        return known.key;
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("HmacSHA256 is not available", missing);
        }
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("SHA-256 is not available", missing);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** A path as it is sent and signed: everything except letters, digits, {@code -._~} and slashes is escaped. */
    static String encoded(String path) {
        var text = new StringBuilder(path.length() + 16);
        for (byte each : path.getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (each & 0xff);
            boolean plain = letter < 128 && (Character.isLetterOrDigit(letter) || "-._~/".indexOf(letter) >= 0);
            text.append(plain ? String.valueOf(letter) : "%%%02X".formatted((int) letter));
        }
        return text.toString();
    }
}
