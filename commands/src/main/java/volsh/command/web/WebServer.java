package volsh.command.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import volsh.catalog.Host;
import volsh.command.Session;

/**
 * A read-only HTTP server: it answers GET and HEAD by exact path, and nothing changes by a request. {@link Visitors}
 * says who may read; {@code /healthz} alone answers all clients. A client that connects and sends no request is
 * disconnected after {@value #REQUEST_SECONDS} s.
 */
public final class WebServer implements AutoCloseable {
    private static final int REQUEST_SECONDS = 10;
    private static final int CONNECTIONS_MAX = 128;
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    static {
        // Read once, when the JDK's server is loaded; it has no other way to limit them.
        System.setProperty("sun.net.httpserver.maxReqTime", Integer.toString(REQUEST_SECONDS));
        System.setProperty("jdk.httpserver.maxConnections", Integer.toString(CONNECTIONS_MAX));
    }

    /** Answers one request; whatever it does not send, it has to close. */
    public interface Page {
        void answer(HttpExchange request) throws IOException;
    }

    private final HttpServer server;
    private final Visitors visitors;
    private final VisitorToken token;
    private final boolean loopback;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Page> pages = new ConcurrentHashMap<>();

    /** Binds the address; port 0 takes a free one. @throws java.net.BindException if the port is in use */
    WebServer(ListenAddress address, VisitorToken token, Path proc) throws IOException {
        this.server = HttpServer.create(address.socket(), 0);
        this.loopback = address.isLoopback();
        this.visitors = new Visitors(token, loopback, proc);
        this.token = token;
        server.createContext("/", this::dispatch);
        server.setExecutor(threads);
        pages.put("/healthz", request -> send(request, 200, "text/plain; charset=utf-8", "ok\n"));
    }

    public WebServer page(String path, Page page) {
        pages.put(path, page);
        return this;
    }

    /** Serves until the session is asked to stop. */
    public void serve(Session session) throws InterruptedException {
        server.start();
        var ended = new CountDownLatch(1);
        try (var _ = session.cancellation().onRequest(ended::countDown)) {
            ended.await();
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    boolean isLoopback() {
        return loopback;
    }

    /** The URL of a page for this user's own programs; elsewhere it carries the token. */
    String url(String path) {
        return loopback ? url() + path : urlWithToken(path);
    }

    String urlWithToken(String path) {
        return "%s%s?token=%s".formatted(url(), path, token.text());
    }

    private String url() {
        var bound = server.getAddress().getAddress();
        return bound.isAnyLocalAddress() ? "http://%s:%d".formatted(Host.name().split(" ")[0], port())
                : "http://" + new ListenAddress(bound, port());
    }

    private void dispatch(HttpExchange request) throws IOException {
        try (request) {
            var headers = request.getResponseHeaders();
            headers.set("Content-Security-Policy", POLICY);
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("Referrer-Policy", "no-referrer");
            headers.set("Cache-Control", "no-store");
            String path = request.getRequestURI().getPath();
            if (!request.getRequestMethod().equals("GET") && !request.getRequestMethod().equals("HEAD")) {
                headers.set("Allow", "GET, HEAD");
                send(request, 405, "text/plain; charset=utf-8", "this server only answers GET\n");
            } else if (!path.equals("/healthz") && !visitors.admits(request)) {
                send(request, 403, "text/plain; charset=utf-8", visitors.refusal(request));
            } else if (!pages.containsKey(path)) {
                send(request, 404, "text/plain; charset=utf-8", "no such page; there are: %s\n"
                        .formatted(String.join(" ", pages.keySet().stream().sorted().toList())));
            } else {
                pages.get(path).answer(request);
            }
        }
    }

    /** Sends a whole answer. */
    public void send(HttpExchange request, int status, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        request.getResponseHeaders().set("Content-Type", type);
        boolean head = request.getRequestMethod().equals("HEAD");
        request.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            request.getResponseBody().write(body);
        }
    }

    /**
     * Moves the token from the URL into a cookie, so that it is not in the browser's history; false if it is not in the
     * URL.
     */
    boolean movedToken(HttpExchange request) throws IOException {
        if (!visitors.inQuery(request)) {
            return false;
        }
        request.getResponseHeaders().set("Set-Cookie", visitors.setCookie(request));
        request.getResponseHeaders().set("Location", request.getRequestURI().getPath());
        request.sendResponseHeaders(303, -1);
        return true;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
