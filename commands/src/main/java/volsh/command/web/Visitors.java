package volsh.command.web;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import volsh.proc.SocketOwner;

/**
 * Decides who may read what a {@link WebServer} serves: programs of the same user (or root) that connect over loopback,
 * and clients that present the token. A request without the token must also name a loopback host: a page of a foreign
 * site that made its own name resolve to this machine (DNS rebinding) names that site.
 */
final class Visitors {
    private static final String PARAMETER = "token=";
    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

    private final VisitorToken token;
    private final boolean loopback;
    private final Path proc;

    /** {@code loopback}: the server listens on a loopback address only. */
    Visitors(VisitorToken token, boolean loopback, Path proc) {
        this.token = token;
        this.loopback = loopback;
        this.proc = proc;
    }

    boolean admits(HttpExchange request) throws IOException {
        return inQuery(request) || Stream.of(cookie(request), bearer(request)).flatMap(Optional::stream)
                .anyMatch(token::is)
                || loopback && namesLoopback(request) && isSameUser(request);
    }

    /** Says why {@link #admits} refused a request, and what helps. */
    String refusal(HttpExchange request) {
        return loopback && !namesLoopback(request)
                ? "Not allowed under this host name: open the page as 127.0.0.1 or localhost, or with the token.\n"
                : "Not allowed: only the user who started volsh, root, and holders of the token may read this page."
                        + " Started with -v, it prints the URL with the token.\n";
    }

    /** Whether the token is in the request's URL. */
    boolean inQuery(HttpExchange request) {
        return query(request.getRequestURI()).filter(token::is).isPresent();
    }

    /** A cookie with the token; the page's own requests carry it, so that the URL need not. */
    String setCookie(HttpExchange request) {
        return "%s=%s; HttpOnly; SameSite=Strict; Path=/".formatted(cookieName(request), token.text());
    }

    private static Optional<String> query(URI uri) {
        String query = uri.getRawQuery();
        return query == null ? Optional.empty() : Stream.of(query.split("&"))
                .filter(part -> part.startsWith(PARAMETER)).map(part -> part.substring(PARAMETER.length())).findFirst();
    }

    private static Optional<String> cookie(HttpExchange request) {
        String cookies = request.getRequestHeaders().getFirst("Cookie");
        String start = cookieName(request) + "=";
        return cookies == null ? Optional.empty() : Stream.of(cookies.split("; *"))
                .filter(cookie -> cookie.startsWith(start)).map(cookie -> cookie.substring(start.length())).findFirst();
    }

    /** Browsers send cookies of one host to all its ports, so the port is in the name. */
    private static String cookieName(HttpExchange request) {
        return "volsh_" + request.getLocalAddress().getPort();
    }

    private static Optional<String> bearer(HttpExchange request) {
        String header = request.getRequestHeaders().getFirst("Authorization");
        return header != null && header.startsWith("Bearer ") ? Optional.of(header.substring("Bearer ".length()))
                : Optional.empty();
    }

    private static boolean namesLoopback(HttpExchange request) {
        String host = request.getRequestHeaders().getFirst("Host");
        return host != null && LOOPBACK_NAMES.contains(host.replaceFirst(":\\d+$", ""));
    }

    private boolean isSameUser(HttpExchange request) throws IOException {
        var user = SocketOwner.of(proc, request.getRemoteAddress(), request.getLocalAddress());
        return user.isPresent() && (user.getAsInt() == 0 || user.getAsInt() == SocketOwner.self());
    }
}
