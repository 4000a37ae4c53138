package volsh.block;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import volsh.unit.Span;

/**
 * How a bucket is reached, as URL options say it.
 *
 * <p>Without {@code endpoint} it is Amazon's, of {@code region} or the one the environment names. {@code pathStyle}
 * puts the bucket into the path instead of the host name, which is what most other servers want and so is the default
 * with an endpoint. {@code profile} names a section of the AWS credential files; without it the default chain is
 * asked, and {@code anonymous} asks nobody. {@code insecure} permits plain HTTP to a machine that is not this one.
 * {@code timeout} bounds one attempt of one request, {@code connections} how many run at once. {@code hedge} has late gets
 * asked for a second time ({@link Hedged}), unless it is {@code off}.
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
        boolean hedge) {
    /** The names of the options, as they are written. */
    public static final List<String> NAMES = List.of(
            "anonymous", "connections", "endpoint", "hedge", "insecure", "path-style", "profile", "region", "timeout");

    private static final Pattern REGION = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int CONNECTIONS = 64;

    public S3Options {
        if (anonymous && profile.isPresent()) {
            throw new IllegalArgumentException("option anonymous: asks for no credentials, but profile names some");
        }
        if (region.isPresent() && !isRegion(region.get())) {
            throw new IllegalArgumentException(
                    "option region: not a region: '%s' (try us-east-1)".formatted(region.get()));
        }
        if (!insecure && endpoint.filter(S3Options::isExposed).isPresent()) {
            throw new IllegalArgumentException("option endpoint: plain http shows all data to the network between;"
                    + " use https, or say insecure=true");
        }
        if (timeout.compareTo(Duration.ofMillis(10)) < 0) {
            throw new IllegalArgumentException("option timeout: too short for any request: " + new Span(timeout));
        }
    }

    /**
     * Reads the options named in {@link #NAMES}.
     *
     * @throws IllegalArgumentException naming the option and something to try, never repeating a secret
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
                hedge(options.getOrDefault("hedge", "on")));
    }

    /** Could a region be called so? */
    public static boolean isRegion(String name) {
        return REGION.matcher(name).matches();
    }

    /** Does all data go through a network, readable? */
    public static boolean isExposed(URI endpoint) {
        return "http".equalsIgnoreCase(endpoint.getScheme()) && !isLoopback(endpoint);
    }

    /** Is it on this machine? */
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
            // said below, without repeating what may hold a secret
        }
        throw new IllegalArgumentException(
                "option endpoint: not an endpoint (try https://host:port, without credentials)");
    }

    private static boolean flag(Map<String, String> options, String name, boolean usual) {
        return switch (options.getOrDefault(name, Boolean.toString(usual))) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("option %s: true or false".formatted(name));
        };
    }

    private static boolean hedge(String text) {
        return switch (text) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException("option hedge: on or off");
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
                    "option connections: not a number of connections: '%s' (try 64)".formatted(text));
        }
        return Integer.parseInt(text);
    }
}
