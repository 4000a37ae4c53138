package volsh.command.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Text;
import volsh.command.web.ListenOptions;
import volsh.fs.ShellWord;
import volsh.mount.Mounts;

@Command(name = "metrics", description = {"Print the metrics of all mounts of this machine in Prometheus format.",
        "Prints them once. With --listen, serves /metrics until Ctrl-C: to programs of this user and root over"
                + " loopback, to others with the token, as ?token= or as Authorization: Bearer. /healthz answers"
                + " every client. With --socket FILE, serves on a unix socket that only this user and root can use.",
        "The image has a Grafana dashboard for these metrics: grafana/volsh.json."})
@Examples("volsh metrics")
final class Metrics implements Action<Text> {
    @Mixin
    private final ListenOptions listen = new ListenOptions();

    @Option(names = "--socket", paramLabel = "FILE", description = "Listen on a new unix socket.")
    private Path socket;

    @Override
    public Text run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        MetricsServer.Source source = () -> Exposition.of(Watched.accounts(mounts));
        if (!listen.isGiven() && socket == null) {
            return new Text(source.text());
        }
        if (listen.isGiven() && socket != null) {
            throw CommandFailure.usage("--listen and --socket exclude each other");
        }
        if (listen.isGiven()) {
            listen(source, session);
        } else {
            try (var server = open(source); var _ = session.cancellation().onRequest(() -> close(server))) {
                session.say("%s, for GET /metrics".formatted(socket));
                server.serve();
            }
        }
        session.cancellation().check();
        return null;
    }

    private void listen(MetricsServer.Source source, Session session) throws Exception {
        try (var server = listen.open(session)) {
            server.page("/metrics",
                    request -> server.send(request, 200, "text/plain; version=0.0.4; charset=utf-8", source.text()));
            ListenOptions.tell(server, "/metrics", session);
            server.serve(session);
        }
    }

    private MetricsServer open(MetricsServer.Source source) throws IOException {
        if (Files.exists(socket)) {
            throw CommandFailure.of(ExitCode.CONFLICT, "MET-0002", "file exists: '%s'".formatted(socket))
                    .hint("volsh metrics --socket " + ShellWord.of(
                            socket.resolveSibling("new-" + socket.getFileName())));
        }
        return new MetricsServer(socket, source);
    }

    private static void close(MetricsServer server) {
        try {
            server.close();
        } catch (IOException closedAllTheSame) {
            // keeps nothing open
        }
    }
}
