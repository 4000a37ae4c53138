package volsh.mount;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import volsh.catalog.Refusal;
import volsh.disk.SocketPath;

/**
 * The control socket of a mount's process: a {@link RequestLine} in, lines back, {@code ok} and the answer or {@code
 * error …}; before them, if the request has a version, that of the mount. The socket is 0600, and only the user the
 * mount runs as, or root, is answered.
 */
final class Control implements AutoCloseable {
    private static final String REASON = "reason ";
    /** Longer than the longest possible command line with every byte escaped. */
    private static final int LINE_MAX = 16 << 20;
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    private final ServerSocketChannel server;
    private volatile Path socket;
    private final Requests requests;
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

    /** Answers requests. */
    interface Requests {
        List<String> answer(MountRequest<?> request) throws IOException;
    }

    private Control(ServerSocketChannel server, Path socket, Requests requests) {
        this.server = server;
        this.socket = socket;
        this.requests = requests;
    }

    static Control listen(Path socket, Requests requests) throws IOException {
        Files.deleteIfExists(socket);
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try (var path = SocketPath.of(socket)) {
            server.bind(path.address());
        }
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        var control = new Control(server, socket, requests);
        Thread.ofPlatform().name("control").daemon().start(control::accept);
        return control;
    }

    private void accept() {
        while (true) {
            try {
                var peer = server.accept();
                callers.execute(() -> serve(peer));
            } catch (ClosedChannelException | RejectedExecutionException closed) {
                return;
            } catch (IOException passing) {
                // this connection failed; the next may succeed
            }
        }
    }

    private void serve(SocketChannel peer) {
        try (peer;
                var in = new BufferedReader(new InputStreamReader(Channels.newInputStream(peer),
                        StandardCharsets.UTF_8));
                var out = new OutputStreamWriter(Channels.newOutputStream(peer), StandardCharsets.UTF_8)) {
            var line = line(in);
            var header = RequestLine.hasVersion(line) ? RequestLine.header() + "\n" : "";
            out.write(header + String.join("\n", reply(peer, line)) + "\n");
        } catch (IOException gone) {
            // the caller hung up
        }
    }

    private static String line(BufferedReader in) throws IOException {
        var text = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            if (text.length() == LINE_MAX) {
                throw tooLong();
            }
            text.append((char) c);
        }
        return text.toString();
    }

    private static IOException tooLong() {
        return new IOException(
                "the request to the mount is too long: at most %d characters (name directories instead of files)"
                .formatted(LINE_MAX));
    }

    private List<String> reply(SocketChannel peer, String request) throws IOException {
        var user = peer.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        if (!user.equals("root") && !user.equals(System.getProperty("user.name"))) {
            return List.of("error permission denied: the mount belongs to another user than " + user);
        }
        try {
            var lines = new ArrayList<>(List.of("ok"));
            lines.addAll(requests.answer(RequestLine.parse(request)));
            return lines;
        } catch (Refusal refused) {
            return List.of("error " + String.valueOf(refused.getMessage()).replace('\n', ' '),
                    REASON + refused.reason());
        } catch (IOException | RuntimeException failed) {
            return List.of("error " + String.valueOf(failed.getMessage()).replace('\n', ' '));
        }
    }

    /** The error of an answer: a refusal if the mount gave a reason. */
    private static IOException error(List<String> lines) {
        var message = lines.getFirst().replaceFirst("^error ", "");
        var reason = lines.stream().skip(1).filter(line -> line.startsWith(REASON))
                .map(line -> line.substring(REASON.length()))
                .flatMap(word -> Stream.of(Refusal.Reason.values()).filter(known -> known.name().equals(word)))
                .findFirst();
        return reason.isPresent() ? new Refusal(reason.get(), message) : new IOException(message);
    }

    /**
     * Sends a request to the mount that listens there.
     *
     * @param restart the hint if the mount is of another version
     * @throws IOException if it does not answer, or answers with an error: a {@link Refusal} if it gives a reason, or
     * is of another version
     */
    static <A> A ask(Path socket, MountRequest<A> request, String... restart) throws IOException {
        var lines = ask(socket, RequestLine.of(request));
        if (!RequestLine.isLasting(request) && !lines.isEmpty()) {
            int version = RequestLine.version(lines.getFirst());
            if (version != RequestLine.VERSION) {
                throw RequestLine.otherVersion(RequestLine.VERSION, version, restart);
            }
            lines = lines.subList(1, lines.size());
        }
        if (lines.isEmpty()) {
            throw new IOException("the mount closed the connection");
        }
        if (!lines.getFirst().equals("ok")) {
            throw error(lines);
        }
        return request.answer(lines.subList(1, lines.size()));
    }

    private static List<String> ask(Path socket, String request) throws IOException {
        if (request.length() > LINE_MAX) {
            throw tooLong();
        }
        try (var channel = connect(socket);
                var in = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel),
                        StandardCharsets.UTF_8));
                var out = new OutputStreamWriter(Channels.newOutputStream(channel), StandardCharsets.UTF_8)) {
            out.write(request + "\n");
            out.flush();
            return in.lines().toList();
        }
    }

    private static SocketChannel connect(Path socket) throws IOException {
        try (var path = SocketPath.of(socket)) {
            return SocketChannel.open(path.address());
        }
    }

    /** The socket has been moved to another path. */
    void movedTo(Path other) {
        socket = other;
    }

    /** Accepts no more requests. Pending ones are answered, including the request to end. */
    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        callers.shutdown();
        try {
            callers.awaitTermination(LAST_ANSWERS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
