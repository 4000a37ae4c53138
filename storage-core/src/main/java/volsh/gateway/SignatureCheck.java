package volsh.gateway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks signature version 4, in the header {@code Authorization} or in the URL (presigned). Any region is accepted; a
 * clock may be off by {@link #SKEW_MAX}.
 */
final class SignatureCheck {
    static final Duration SKEW_MAX = Duration.ofMinutes(15);
    private static final long PRESIGNED_SECONDS_MAX = Duration.ofDays(7).toSeconds();
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'");
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";

    static final int SIGNING_KEYS_MAX = 1000;

    private final AccessKeys keys;
    private final Map<Scope, byte[]> signingKeys = new ConcurrentHashMap<>();

    /** What a signing key is derived from: it changes with the day. */
    private record Scope(String secret, String scope) {}

    /**
     * A request whose signature is right.
     *
     * @param payload what its header or URL says of the body: a SHA-256, {@code UNSIGNED-PAYLOAD}, {@code STREAMING-…}
     */
    record Signed(AccessKey key, String payload, ChunkSignatures chunks) {}

    /** The parts of a signature. */
    private record Parts(String id, String day, String scope, List<String> headers, String signature, String time,
            String payload, boolean presigned) {}

    SignatureCheck(AccessKeys keys) {
        this.keys = keys;
    }

    Signed check(S3Request request, Instant now) throws IOException {
        var parts = request.asks("X-Amz-Signature") ? presigned(request, now) : inHeader(request, now);
        var key = keys.find(parts.id).orElseThrow(() -> new S3Refusal(403, "InvalidAccessKeyId",
                "no access key of this id; volsh gateway key list shows those that exist"));
        if (key.isExpired(now)) {
            throw S3Refusal.denied("the access key expired at " + key.expires().orElseThrow());
        }
        if (!parts.headers.contains("host")) {
            throw S3Refusal.denied("the header Host must be signed");
        }
        String canonical = canonical(request, parts);
        String text = String.join("\n", ALGORITHM, parts.time, parts.scope,
                SigningDigests.hex(SigningDigests.sha256(canonical)));
        byte[] signing = signingKey(new Scope(key.secret(), parts.scope));
        byte[] right = SigningDigests.hex(SigningDigests.hmac(signing, text)).getBytes(StandardCharsets.US_ASCII);
        if (!MessageDigest.isEqual(right, parts.signature.getBytes(StandardCharsets.UTF_8))) {
            throw new S3Refusal(403, "SignatureDoesNotMatch", "the signature does not match: check the secret key");
        }
        return new Signed(key, parts.payload, new ChunkSignatures(signing, parts.time, parts.scope, parts.signature));
    }

    private Parts inHeader(S3Request request, Instant now) throws S3Refusal {
        String header = request.header("Authorization").orElseThrow(() -> S3Refusal.denied("unsigned requests are"
                + " refused; volsh gateway key create makes an access key"));
        if (!header.startsWith(ALGORITHM)) {
            throw S3Refusal.invalid("only signature version 4 is understood (AWS4-HMAC-SHA256)");
        }
        var fields = new java.util.HashMap<String, String>();
        for (String each : header.substring(ALGORITHM.length()).split(",")) {
            int equals = each.indexOf('=');
            if (equals > 0) {
                fields.put(each.substring(0, equals).strip(), each.substring(equals + 1).strip());
            }
        }
        String time = request.header("x-amz-date").orElseThrow(() -> S3Refusal.denied("x-amz-date is missing"));
        var skew = Duration.between(instant(time), now).abs();
        if (skew.compareTo(SKEW_MAX) > 0) {
            throw new S3Refusal(403, "RequestTimeTooSkewed", "the clocks of client and gateway differ by %d s"
                    .formatted(skew.toSeconds()));
        }
        String payload = request.header("x-amz-content-sha256").orElseThrow(
                () -> S3Refusal.invalid("x-amz-content-sha256 is missing"));
        return parts(required(fields, "Credential"), required(fields, "SignedHeaders"), required(fields, "Signature"),
                time, payload, false);
    }

    private Parts presigned(S3Request request, Instant now) throws S3Refusal {
        var query = request.query();
        if (!ALGORITHM.equals(query.get("X-Amz-Algorithm"))) {
            throw S3Refusal.invalid("only signature version 4 is understood (AWS4-HMAC-SHA256)");
        }
        String time = required(query, "X-Amz-Date");
        long seconds;
        try {
            seconds = Long.parseLong(required(query, "X-Amz-Expires"));
        } catch (NumberFormatException notANumber) {
            throw S3Refusal.invalid("X-Amz-Expires is not a number of seconds");
        }
        if (seconds < 1 || seconds > PRESIGNED_SECONDS_MAX) {
            throw S3Refusal.invalid("X-Amz-Expires must be from 1 to %d".formatted(PRESIGNED_SECONDS_MAX));
        }
        Instant made = instant(time);
        if (now.isAfter(made.plusSeconds(seconds))) {
            throw S3Refusal.denied("the presigned URL expired at " + made.plusSeconds(seconds));
        }
        if (made.isAfter(now.plus(SKEW_MAX))) {
            throw new S3Refusal(403, "RequestTimeTooSkewed", "the presigned URL is from the future: " + made);
        }
        return parts(required(query, "X-Amz-Credential"), required(query, "X-Amz-SignedHeaders"),
                required(query, "X-Amz-Signature"), time,
                request.header("x-amz-content-sha256").orElse("UNSIGNED-PAYLOAD"), true);
    }

    private static Parts parts(String credential, String headers, String signature, String time, String payload,
            boolean presigned) throws S3Refusal {
        var words = credential.split("/");
        if (words.length != 5 || !words[4].equals("aws4_request") || !words[3].equals("s3")
                || !time.startsWith(words[1])) {
            throw new S3Refusal(400, "AuthorizationHeaderMalformed",
                    "the credential must be ID/DATE/REGION/s3/aws4_request, with the date of the request");
        }
        return new Parts(words[0], words[1], credential.substring(words[0].length() + 1),
                List.of(headers.toLowerCase(Locale.ROOT).split(";")), signature, time, payload, presigned);
    }

    private static String required(Map<String, String> fields, String name) throws S3Refusal {
        return Optional.ofNullable(fields.get(name)).filter(text -> !text.isEmpty())
                .orElseThrow(() -> new S3Refusal(400, "AuthorizationHeaderMalformed", name + " is missing"));
    }

    private static Instant instant(String time) throws S3Refusal {
        try {
            return LocalDateTime.parse(time, TIME).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException notATime) {
            throw S3Refusal.invalid("not a time like 20260131T120000Z: '%s'".formatted(time));
        }
    }

    int knownSigningKeys() {
        return signingKeys.size();
    }

    private byte[] signingKey(Scope scope) {
        var known = signingKeys.get(scope);
        if (known != null) {
            return known;
        }
        byte[] key = ("AWS4" + scope.secret).getBytes(StandardCharsets.UTF_8);
        for (String word : scope.scope.split("/")) {
            key = SigningDigests.hmac(key, word);
        }
        if (signingKeys.size() >= SIGNING_KEYS_MAX) {   // a client may name any number of days and regions
            signingKeys.clear();
        }
        signingKeys.put(scope, key);
        return key;
    }

    private static String canonical(S3Request request, Parts parts) {
        var query = new ArrayList<String>();
        request.query().forEach((name, value) -> {
            if (!(parts.presigned && name.equals("X-Amz-Signature"))) {
                query.add(encoded(name, false) + '=' + encoded(value, false));
            }
        });
        query.sort(null);
        var text = new StringBuilder(512).append(request.method()).append('\n')
                .append(encoded(request.path(), true)).append('\n').append(String.join("&", query)).append('\n');
        for (String name : parts.headers) {
            var values = request.headers().getOrDefault(name, List.of());
            text.append(name).append(':');
            for (int i = 0; i < values.size(); i++) {
                text.append(i == 0 ? "" : ",").append(trimmed(values.get(i)));
            }
            text.append('\n');
        }
        return text.append('\n').append(String.join(";", parts.headers)).append('\n').append(parts.payload).toString();
    }

    private static String trimmed(String value) {
        String stripped = value.strip();
        return stripped.contains("  ") ? stripped.replaceAll(" +", " ") : stripped;
    }

    /** As requests are signed: everything except letters, digits and {@code -._~} is escaped. */
    static String encoded(String text, boolean keepSlashes) {
        if (isPlain(text, keepSlashes)) {
            return text;
        }
        var encoded = new StringBuilder(text.length() + 16);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (each & 0xff);
            if (isPlain(letter, keepSlashes)) {
                encoded.append(letter);
            } else {
                encoded.append('%').append(Character.toUpperCase(Character.forDigit(letter >> 4, 16)))
                        .append(Character.toUpperCase(Character.forDigit(letter & 15, 16)));
            }
        }
        return encoded.toString();
    }

    private static boolean isPlain(String text, boolean keepSlashes) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text.charAt(i), keepSlashes)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(char letter, boolean keepSlashes) {
        return letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z' || letter >= '0' && letter <= '9'
                || letter == '-' || letter == '.' || letter == '_' || letter == '~' || keepSlashes && letter == '/';
    }
}
