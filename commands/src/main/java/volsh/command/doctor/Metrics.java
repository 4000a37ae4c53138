package volsh.command.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Text;
import volsh.mount.Mounts;

@Command(name = "metrics", description = {"Tell what all mounts of this machine have done, in the words of Prometheus.",
        "Prints them once. With --listen PORT: answers GET /metrics on this machine's loopback address until Ctrl-C, nowhere else."})
@Examples("volsh metrics")
final class Metrics implements Action<Text> {
    private static final int PORT_MAX = 65_535;
    private static final int LINE_PATIENCE = 5_000;

    @Option(names = "--listen", paramLabel = "PORT", description = "Answer on 127.0.0.1 at this port; 0 takes a free one.")
    private Integer port;

    @Override
    public Text run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        if (port == null) {
            return new Text(Exposition.of(Watched.accounts(mounts)));
        }
        if (port < 0 || port > PORT_MAX) {
            throw CommandFailure.usage("a port lies between 0 and 65535: " + port);
        }
        try (var server = new ServerSocket()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            session.say("http://127.0.0.1:%d/metrics".formatted(server.getLocalPort()));
            serve(session, server, mounts);
        }
        session.cancellation().check();
        return null;
    }

    private static void serve(Session session, ServerSocket server, Mounts mounts) throws IOException {
        try (var _ = session.cancellation().onRequest(() -> close(server))) {
            while (!session.cancellation().requested()) {
                try (var asked = server.accept()) {
                    answer(asked, mounts);
                } catch (IOException oneLost) {
                    session.detail("a request was lost: " + oneLost.getMessage());
                }
            }
        }
    }

    private static void close(ServerSocket server) {
        try {
            server.close();
        } catch (IOException closedAllTheSame) {
            // nothing is kept open by it
        }
    }

    private static void answer(Socket asked, Mounts mounts) throws IOException {
        asked.setSoTimeout(LINE_PATIENCE);
        var in = new BufferedReader(new InputStreamReader(asked.getInputStream(), StandardCharsets.ISO_8859_1));
        String first = in.readLine();
        for (String line = first; line != null && !line.isEmpty(); line = in.readLine()) {
            // headers say nothing that matters
        }
        boolean known = first != null && first.startsWith("GET /metrics ");
        byte[] body = (known ? Exposition.of(Watched.accounts(mounts)) : "there is only /metrics\n").getBytes(StandardCharsets.UTF_8);
        asked.getOutputStream().write("HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                .formatted(known ? "200 OK" : "404 Not Found", body.length).getBytes(StandardCharsets.US_ASCII));
        asked.getOutputStream().write(body);
        asked.getOutputStream().flush();
    }
}
