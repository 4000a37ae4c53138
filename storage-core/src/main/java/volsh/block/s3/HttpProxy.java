package volsh.block.s3;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.apache5.ProxyConfiguration;
import volsh.block.RefusedException;
import volsh.block.RefusedException.Reason;
import volsh.block.S3Options;

/**
 * The HTTP proxy between this machine and a server, as the environment names it: {@code HTTPS_PROXY} or
 * {@code HTTP_PROXY}, but not for hosts in {@code NO_PROXY} and on this machine. TLS goes through a tunnel, so that the
 * proxy sees no requests.
 */
record HttpProxy(String host, int port, Optional<String> user) {
    static Optional<HttpProxy> to(URI server, Map<String, String> environment) throws IOException {
        var names = server.getScheme().equals("https") ? List.of("HTTPS_PROXY", "HTTP_PROXY") : List.of("HTTP_PROXY");
        var named = names.stream().map(name -> variable(name, environment)).filter(Objects::nonNull).findFirst();
        boolean direct = named.isEmpty() || S3Options.isLoopback(server) || isExempt(server.getHost(), environment);
        return direct ? Optional.empty() : Optional.of(of(named.get()));
    }

    private static @Nullable String variable(String name, Map<String, String> environment) {
        String lower = environment.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        String value = lower.isBlank() ? environment.getOrDefault(name, "") : lower;
        return value.isBlank() ? null : value.strip();
    }

    /**
     * Whether a host is exempt. Entries name a host and all below it; a leading {@code *.} or dot changes nothing,
     * {@code *} is every host.
     */
    private static boolean isExempt(String server, Map<String, String> environment) {
        String host = server.toLowerCase(Locale.ROOT);
        var entries = Optional.ofNullable(variable("NO_PROXY", environment)).orElse("").toLowerCase(Locale.ROOT);
        return Arrays.stream(entries.split("[,|\\s]+")).map(each -> each.replaceFirst("^\\*?\\.", ""))
                .filter(each -> !each.isEmpty())
                .anyMatch(each -> each.equals("*") || host.equals(each) || host.endsWith('.' + each));
    }

    private static HttpProxy of(String text) throws IOException {
        try {
            var url = URI.create(text.contains("://") ? text : "http://" + text);
            if (url.getHost() != null && "http".equalsIgnoreCase(url.getScheme())) {
                int port = url.getPort() < 0 ? 80 : url.getPort();
                return new HttpProxy(url.getHost(), port, Optional.ofNullable(url.getUserInfo()));
            }
        } catch (IllegalArgumentException notOne) {
            // reported below, without the text, which may contain a password
        }
        throw new RefusedException(Reason.WRONG_SETTINGS,
                "invalid HTTPS_PROXY or HTTP_PROXY (try http://host:port)");
    }

    /** The credentials for this proxy. */
    Optional<String> authorization() {
        return user.map(each -> "Basic " + Base64.getEncoder().encodeToString(each.getBytes(StandardCharsets.UTF_8)));
    }

    /** The proxy configuration for the SDK, which by default would use {@code HTTP_PROXY} for everything. */
    static ProxyConfiguration forSdk(Optional<HttpProxy> proxy) {
        var same = ProxyConfiguration.builder().useSystemPropertyValues(false).useEnvironmentVariableValues(false);
        proxy.ifPresent(each -> {
            same.endpoint(URI.create("http://" + each.host + ':' + each.port));
            each.user.map(user -> user.split(":", 2)).ifPresent(parts -> same.username(parts[0])
                    .password(parts.length > 1 ? parts[1] : "").preemptiveBasicAuthenticationEnabled(true));
        });
        return same.build();
    }

    @Override
    public String toString() {
        return host + ':' + port;
    }
}
