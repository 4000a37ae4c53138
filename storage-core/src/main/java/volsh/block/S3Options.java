package volsh.block;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import volsh.unit.Span;

/**
 * How a bucket is accessed, from the options of a URL.
 *
 * <p>Without {@code endpoint} it is Amazon's, in {@code region} or the one from the environment. {@code pathStyle} puts
 * the bucket into the path instead of the host name, which most other servers want and which is the default with an
 * endpoint. {@code profile} names a section of the AWS credential files; without it the default chain is used, and
 * {@code anonymous} uses no credentials. {@code insecure} permits plain HTTP to another machine. {@code timeout} limits
 * one attempt of one request, {@code connections} how many run at once. {@code hedge} sends a second request for late
 * gets ({@link Hedged}), unless it is {@code off}. {@code conditional-put} is {@code off} for a server that does not
 * know {@code If-None-Match}: then a race for a key is decided by looking again. {@code checksum} is what the server is
 * asked to verify with each put, {@code crc32c} unless it knows only {@code md5}.
 */
public record S3Options(
        Optional<URI> endpoint,
        Optional<String> region,
        Optional<String> profile,
        boolean pathStyle,
        boolean anonymous,
        boolean insecure,
        Duration timeout,
        int connections,
        boolean hedge,
        boolean conditionalPut,
        Checksum checksum) {
    /** What a server verifies the bytes of a put with. */
    public enum Checksum {
        CRC32C,
        MD5
    }

    /** The names of the options, as they are written. */
    public static final List<String> NAMES = List.of(
            "anonymous", "checksum", "conditional-put", "connections", "endpoint", "hedge", "insecure", "path-style",
            "profile", "region", "timeout");

    private static final Pattern REGION = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int CONNECTIONS = 64;

    public S3Options {
        if (anonymous && profile.isPresent()) {
            throw new IllegalArgumentException("option anonymous: cannot be combined with profile");
        }
        if (region.isPresent() && !isRegion(region.get())) {
            throw new IllegalArgumentException(
                    "option region: invalid region: '%s' (try us-east-1)".formatted(region.get()));
        }
        if (!insecure && endpoint.filter(S3Options::isExposed).isPresent()) {
            throw new IllegalArgumentException("option endpoint: plain http sends all data unencrypted;"
                    + " use https, or set insecure=true");
        }
        if (timeout.compareTo(Duration.ofMillis(10)) < 0) {
            throw new IllegalArgumentException("option timeout: too short: " + new Span(timeout));
        }
    }

    /**
     * Parses the options named in {@link #NAMES}.
     *
     * @throws IllegalArgumentException naming the option and a valid example, never repeating a secret
     */
    public static S3Options of(Map<String, String> options) {
        Optional<URI> endpoint = Optional.ofNullable(options.get("endpoint")).map(S3Options::endpoint);
        return new S3Options(
                endpoint,
                Optional.ofNullable(options.get("region")),
                Optional.ofNullable(options.get("profile")),
                flag(options, "path-style", endpoint.isPresent()),
                flag(options, "anonymous", false),
                flag(options, "insecure", false),
                Optional.ofNullable(options.get("timeout")).map(S3Options::timeout).orElse(TIMEOUT),
                Optional.ofNullable(options.get("connections")).map(S3Options::connections).orElse(CONNECTIONS),
                isOn(options, "hedge"),
                isOn(options, "conditional-put"),
                checksum(options.getOrDefault("checksum", "crc32c")));
    }

    /** Whether this could be the name of a region. */
    public static boolean isRegion(String name) {
        return REGION.matcher(name).matches();
    }

    /** Whether data would be sent unencrypted over a network. */
    public static boolean isExposed(URI endpoint) {
        return "http".equalsIgnoreCase(endpoint.getScheme()) && !isLoopback(endpoint);
    }

    /** Whether it is on this machine. */
    public static boolean isLoopback(URI endpoint) {
        return LOOPBACK.matcher(String.valueOf(endpoint.getHost())).matches();
    }

    private static URI endpoint(String text) {
        try {
            var uri = URI.create(text);
            boolean web = "https".equals(uri.getScheme()) || "http".equals(uri.getScheme());
            if (web && uri.getHost() != null && uri.getUserInfo() == null && uri.getQuery() == null) {
                return uri;
            }
        } catch (IllegalArgumentException notOne) {
            // reported below, without the text, which may contain a secret
        }
        throw new IllegalArgumentException(
                "option endpoint: invalid endpoint (try https://host:port, without credentials)");
    }

    private static boolean flag(Map<String, String> options, String name, boolean usual) {
        return switch (options.getOrDefault(name, Boolean.toString(usual))) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("option %s: must be true or false".formatted(name));
        };
    }

    private static boolean isOn(Map<String, String> options, String name) {
        return switch (options.getOrDefault(name, "on")) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException("option %s: must be on or off".formatted(name));
        };
    }

    private static Checksum checksum(String text) {
        return switch (text) {
            case "crc32c" -> Checksum.CRC32C;
            case "md5" -> Checksum.MD5;
            default -> throw new IllegalArgumentException("option checksum: must be crc32c or md5");
        };
    }

    private static Duration timeout(String text) {
        try {
            return Span.of(text).duration();
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException("option timeout: " + refused.getMessage(), refused);
        }
    }

    private static int connections(String text) {
        if (!text.matches("[1-9]\\d{0,3}")) {
            throw new IllegalArgumentException(
                    "option connections: invalid number: '%s' (try 64)".formatted(text));
        }
        return Integer.parseInt(text);
    }
}
