package volsh.command.doctor;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Text;
import volsh.mount.Mounts;

@Command(name = "metrics", description = {"Print the metrics of all mounts of this machine in Prometheus format.",
        "Prints them once. With --listen PORT: serves GET /metrics until Ctrl-C, only on this machine's loopback"
                + " address; with --socket FILE on a unix socket that only this user and root can use."})
@Examples("volsh metrics")
final class Metrics implements Action<Text> {
    private static final int PORT_MAX = 65_535;

    @Option(names = "--listen", paramLabel = "PORT",
            description = "Listen on 127.0.0.1 at this port; 0 picks a free port.")
    private Integer port;

    @Option(names = "--socket", paramLabel = "FILE", description = "Listen on a new unix socket.")
    private Path socket;

    @Override
    public Text run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        if (port == null && socket == null) {
            return new Text(Exposition.of(Watched.accounts(mounts)));
        }
        if (port != null && socket != null) {
            throw CommandFailure.usage("--listen and --socket exclude each other");
        }
        if (port != null && (port < 0 || port > PORT_MAX)) {
            throw CommandFailure.usage("--listen must be from 0 to 65535, not " + port);
        }
        try (var server = open(() -> Exposition.of(Watched.accounts(mounts))); var _ = session.cancellation().onRequest(() ->
                close(server))) {
            session.say(socket == null ? "http://127.0.0.1:%d/metrics".formatted(server.port()) : "%s, for GET /metrics".formatted(socket));
            server.serve();
        } catch (BindException taken) {
            throw CommandFailure.of(ExitCode.CONFLICT, "MET-0001", "port %d is in use".formatted(port))
                    .hint("volsh metrics --listen 0");
        }
        session.cancellation().check();
        return null;
    }

    private MetricsServer open(MetricsServer.Source source) throws IOException {
        if (socket == null) {
            return MetricsServer.atPort(port, source);
        }
        if (Files.exists(socket)) {
            throw CommandFailure.of(ExitCode.CONFLICT, "MET-0002", "file exists: '%s'".formatted(socket))
                    .hint("volsh metrics --socket " + socket.resolveSibling("new-" + socket.getFileName()));
        }
        return MetricsServer.atSocket(socket, source);
    }

    private static void close(MetricsServer server) {
        try {
            server.close();
        } catch (IOException closedAllTheSame) {
            // keeps nothing open
        }
    }
}
