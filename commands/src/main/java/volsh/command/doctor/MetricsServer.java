package volsh.command.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import volsh.disk.SocketPath;

/**
 * Answers GET /metrics on a unix socket. A client that connects and sends nothing is disconnected, and delays no other.
 */
final class MetricsServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ServerSocketChannel server;
    private final Path path;
    private final Source source;

    /** Supplies the body. */
    interface Source {
        String text() throws IOException;
    }

    /** Listens for this user and root alone. @throws IOException if the file exists */
    MetricsServer(Path path, Source source) throws IOException {
        this.path = path;
        this.source = source;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try (var socket = SocketPath.of(path)) {
            server.bind(socket.address());
        }
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /** Serves until closed. */
    void serve() throws IOException {
        while (true) {
            try {
                var asked = server.accept();
                Thread.ofVirtual().start(() -> answer(asked));
                Thread.ofVirtual().start(() -> hangUp(asked));
            } catch (ClosedChannelException closed) {
                return;
            }
        }
    }

    private static void hangUp(SocketChannel asked) {
        try (asked) {
            Thread.sleep(PATIENCE);
        } catch (IOException | InterruptedException gone) {
            // it is closed in any case
        }
    }

    private void answer(SocketChannel asked) {
        try (asked) {
            var in = new BufferedReader(new InputStreamReader(Channels.newInputStream(asked),
                    StandardCharsets.ISO_8859_1));
            String first = in.readLine();
            for (String line = first; line != null && !line.isEmpty(); line = in.readLine()) {
                // headers do not matter
            }
            boolean known = first != null && first.startsWith("GET /metrics ");
            byte[] body = (known ? source.text() : "not found: only /metrics exists\n")
                    .getBytes(StandardCharsets.UTF_8);
            var out = Channels.newOutputStream(asked);
            out.write(("HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: %d\r\nConnection: "
                    + "close\r\n\r\n")
                    .formatted(known ? "200 OK" : "404 Not Found", body.length).getBytes(StandardCharsets.US_ASCII));
            out.write(body);
        } catch (IOException gone) {
            // the client disconnected
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
