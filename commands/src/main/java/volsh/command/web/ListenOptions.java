package volsh.command.web;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;

/** Where a command serves over HTTP, and to whom; for picocli's {@code @ArgGroup} or {@code @Mixin}. */
public final class ListenOptions {
    @Option(names = "--listen", paramLabel = "[ADDRESS:]PORT",
            description = "Listen here, without an address on 127.0.0.1; port 0 picks a free port.")
    private @Nullable ListenAddress address;

    @Option(names = "--token-file", paramLabel = "FILE",
            description = "Take the token from this file, created if missing, instead of a new one each time.")
    private @Nullable Path tokenFile;

    public boolean isGiven() {
        return address != null;
    }

    /** Opens the server on the address given, else on a free port of 127.0.0.1. */
    public WebServer open(Session session) throws IOException {
        var listen = address == null ? ListenAddress.of("0") : address;
        var proc = Path.of(session.environment().getOrDefault("VOLSH_PROC", "/proc"));
        try {
            return new WebServer(listen, tokenFile == null ? VisitorToken.random() : VisitorToken.in(tokenFile), proc);
        } catch (BindException taken) {
            boolean inUse = String.valueOf(taken.getMessage()).contains("in use");
            throw CommandFailure.of(inUse ? ExitCode.CONFLICT : ExitCode.USAGE, "WEB-0001",
                    inUse ? "port %d is already in use".formatted(listen.port())
                            : "cannot listen on %s: %s".formatted(listen, taken.getMessage()));
        }
    }

    /** Tells where a page is, for this user and, with -v, for others. */
    public static void tell(WebServer server, String path, Session session) {
        session.say(server.url(path));
        if (server.isLoopback()) {
            session.detail("for other users: " + server.urlWithToken(path));
        } else {
            session.warn("the connection is not encrypted: others on the network path can read the page and the token");
        }
    }
}
