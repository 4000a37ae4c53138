package volsh.gateway;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A request as it came: which bucket and key it is about, by path ({@code /bucket/key}) or by host ({@code
 * bucket.domain}).
 *
 * @param path   decoded
 * @param bucket empty for requests about all buckets
 * @param key    empty for requests about a bucket
 */
record S3Request(String method, String path, SortedMap<String, String> query, Headers headers, String bucket,
        String key) {

    static S3Request of(HttpExchange exchange, String domain) throws S3Refusal {
        var uri = exchange.getRequestURI();
        String path = decoded(Optional.ofNullable(uri.getRawPath()).orElse("/"), false);
        var headers = exchange.getRequestHeaders();
        String host = Optional.ofNullable(headers.getFirst("Host")).orElse("").toLowerCase(Locale.ROOT);
        int colon = host.lastIndexOf(':');
        if (colon >= 0 && host.chars().skip(colon + 1L).allMatch(Character::isDigit)) {
            host = host.substring(0, colon);
        }
        String virtual = bucketOf(host, domain);
        String rest = path.startsWith("/") ? path.substring(1) : path;
        int slash = rest.indexOf('/');
        String bucket = virtual.isEmpty() ? slash < 0 ? rest : rest.substring(0, slash) : virtual;
        String key = !virtual.isEmpty() ? rest : slash < 0 ? "" : rest.substring(slash + 1);
        return new S3Request(exchange.getRequestMethod(), path, query(uri.getRawQuery()), headers, bucket, key);
    }

    private static String bucketOf(String host, String domain) {
        for (String end : new String[] {"." + domain, ".localhost"}) {
            if (end.length() > 1 && host.endsWith(end)) {
                return host.substring(0, host.length() - end.length());
            }
        }
        return "";
    }

    private static SortedMap<String, String> query(@org.jspecify.annotations.Nullable String raw) throws S3Refusal {
        var query = new TreeMap<String, String>();
        if (raw == null || raw.isEmpty()) {
            return query;
        }
        for (String each : raw.split("&")) {
            int equals = each.indexOf('=');
            String name = decoded(equals < 0 ? each : each.substring(0, equals), true);
            query.put(name, equals < 0 ? "" : decoded(each.substring(equals + 1), true));
        }
        return query;
    }

    /** What percent signs stand for; text that is not UTF-8 is refused. */
    static String decoded(String text, boolean plusIsBlank) throws S3Refusal {
        if (text.indexOf('%') < 0 && !(plusIsBlank && text.indexOf('+') >= 0)) {
            return text;
        }
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '%') {
                int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
                int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw new S3Refusal(400, "InvalidURI", "a percent sign needs two hexadecimal digits");
                }
                bytes.write(high << 4 | low);
                i += 2;
            } else {
                bytes.writeBytes((plusIsBlank && letter == '+' ? " " : String.valueOf(letter))
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException notText) {
            throw new S3Refusal(400, "InvalidURI", "keys and parameters are UTF-8");
        }
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.getFirst(name));
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name));
    }

    boolean asks(String subresource) {
        return query.containsKey(subresource);
    }

    /** A number of the query. */
    int number(String name, int otherwise, int most) throws S3Refusal {
        String text = query.get(name);
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return Math.min(number, most);
            }
        } catch (NumberFormatException notANumber) {
            // told below
        }
        throw S3Refusal.invalid("%s is not a number from 0 to %d: '%s'".formatted(name, most, text));
    }
}
