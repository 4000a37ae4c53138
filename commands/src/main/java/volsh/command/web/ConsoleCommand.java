package volsh.command.web;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.catalog.Home;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.GlobalOptions;
import volsh.command.Host;
import volsh.command.Session;
import volsh.command.console.Terminal;
import volsh.command.context.Context;
import volsh.command.render.Json;
import volsh.command.run.BuildFacts;
import volsh.command.run.Caller;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.volume.Volumes;

@Command(name = "console", description = {"Serve a read-only web page that shows this machine live, until Ctrl-C.",
        "The page shows problems with the command that helps, the data path of each mount with five minutes of"
                + " history and the narrowest stage marked, what losing this machine now would cost, volumes, stores,"
                + " caches, checkpoints, jobs and events. Each part is the answer of a command, which is named"
                + " beside it.",
        "Programs of the same user and of root may open the page over loopback; all others need the URL with"
                + " the token, which -v prints. The connection is not encrypted: from another machine use an SSH tunnel"
                + " (ssh -L 8080:127.0.0.1:8080 HOST) rather than --listen on another address."})
@Examples({"volsh console", "volsh console --listen 8080", "volsh console --listen 0.0.0.0:8080"})
public final class ConsoleCommand implements Action<Void> {
    private static final int VIEWERS_MAX = 64;
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    @Mixin
    private final ListenOptions listen = new ListenOptions();

    private final Supplier<CommandTree> tree;

    /** {@code tree} has the commands whose answers the page shows. */
    public ConsoleCommand(Supplier<CommandTree> tree) {
        this.tree = tree;
    }

    @Override
    public Void run(Session session) throws Exception {
        try (var server = listen.open(session);
                var feed = new ConsoleFeed(panels(session), asker(session), session.clock())) {
            addPages(server, feed, session);
            feed.start();
            ListenOptions.tell(server, "/", session);
            server.serve(session);
        }
        session.cancellation().check();
        return null;
    }

    private static List<Panel> panels(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        return List.of(
                Panel.of("stats", Duration.ZERO, "stats", "--interval", "2s").asAlways(),
                Panel.of("status", Duration.ofSeconds(8), "status"),
                Panel.of("mounts", Duration.ofSeconds(4), "mounts", "list"),
                Panel.ofVolumes("volumes", Duration.ofSeconds(10), volumes::names, List.of(List.of("df")),
                        some -> List.of(Stream.concat(Stream.of("df"), some.stream()).toList())),
                Panel.of("caches", Duration.ofSeconds(4), "cache", "epochs"),
                Panel.of("jobs", Duration.ofSeconds(4), "job", "list"),
                Panel.of("events", Duration.ofSeconds(4), "events", "--since", "1h"),
                Panel.ofVolumes("checkpoints", Duration.ofSeconds(20), volumes::names, List.of(),
                        some -> some.stream().map(name -> List.of("checkpoint", "list", name)).toList()));
    }

    /** Runs commands as a program would that reads {@code -o json}. */
    private ConsoleFeed.Asker asker(Session session) {
        var own = session.host();
        var all = tree.get();
        return words -> {
            var out = new ByteArrayOutputStream();
            var host = new Host(InputStream.nullInputStream(), out, OutputStream.nullOutputStream(), own.environment(),
                    own.clock(), own.zone(), Terminal.none(), own.services());
            var line = new ArrayList<>(words);
            line.addAll(List.of("-o", "json"));
            var answer = new Caller(all, host, GlobalOptions.of(), session::cancellation).call(line);
            CommandRunner.print(answer.outcome().value(), answer.session());
            return out.toString(StandardCharsets.UTF_8);
        };
    }

    private static void addPages(WebServer server, ConsoleFeed feed, Session session) throws Exception {
        var home = session.service(Home.class);
        var about = Json.of(Map.of("host", volsh.catalog.Host.name().replaceFirst(" pid:.*", ""),
                "home", String.valueOf(home.state().getParent()),
                "context", Context.of(home).map(Context::name).orElse(""), "version", BuildFacts.read().version()));
        server.page("/", request -> {
            if (!server.movedToken(request)) {
                server.send(request, 200, "text/html; charset=utf-8", resource("console.html"));
            }
        });
        server.page("/console.css",
                request -> server.send(request, 200, "text/css; charset=utf-8", resource("console.css")));
        server.page("/console.js",
                request -> server.send(request, 200, "text/javascript; charset=utf-8", resource("console.js")));
        server.page("/about.json", request -> server.send(request, 200, "application/json", about));
        server.page("/live", request -> stream(server, feed, request));
    }

    /** Sends messages as server-sent events until the browser leaves. */
    private static void stream(WebServer server, ConsoleFeed feed, HttpExchange request) throws IOException {
        if (feed.listeners() >= VIEWERS_MAX) {
            server.send(request, 503, "text/plain; charset=utf-8", "too many viewers: %d\n".formatted(VIEWERS_MAX));
            return;
        }
        request.getResponseHeaders().set("Content-Type", "text/event-stream");
        request.sendResponseHeaders(200, request.getRequestMethod().equals("HEAD") ? -1 : 0);
        if (request.getRequestMethod().equals("HEAD")) {
            return;
        }
        try (var listener = feed.join(); var out = request.getResponseBody()) {
            while (!listener.isDropped()) {
                String message = listener.next(HEARTBEAT);
                out.write((message == null ? ":\n\n" : "data: %s\n\n".formatted(message.replace("\n", "")))
                        .getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static String resource(String name) throws IOException {
        try (var in = ConsoleCommand.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
