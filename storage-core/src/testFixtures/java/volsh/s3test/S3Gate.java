package volsh.s3test;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands before a real S3 server: says of every request that its credentials have expired, once they have, and keeps
 * some connections waiting for ever.
 */
public final class S3Gate implements AutoCloseable {
    private static final String EXPIRED = "<?xml version=\"1.0\"?><Error><Code>ExpiredToken</Code><Message>The "
            + "provided token has expired.</Message></Error>";

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final int server;
    private final AtomicInteger stalling = new AtomicInteger();
    private volatile boolean expired;

    public S3Gate(S3Server server) throws IOException {
        this.server = server.port();
        Thread.ofPlatform().daemon().name("s3-gate").start(this::listen);
    }

    public String endpoint() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** Nothing comes back on the next connections, so many of them. */
    public void stall(int connections) {
        stalling.set(connections);
    }

    public void expire(boolean now) throws IOException {
        expired = now;
        for (var each : open) {
            each.close();
        }
    }

    private void listen() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                open.add(client);
                Thread.ofPlatform().daemon().name("s3-gate").start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            if (stalling.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                client.getInputStream().transferTo(OutputStream.nullOutputStream());
            } else if (expired) {
                refuse(client);
            } else {
                pass(client);
            }
        } catch (IOException cut) {
            // one side went away
        } finally {
            open.remove(client);
        }
    }

    private void pass(Socket client) throws IOException {
        try (var upstream = new Socket(InetAddress.getLoopbackAddress(), server)) {
            Thread.ofPlatform().daemon().name("s3-gate").start(() -> copy(upstream, client));
            client.getInputStream().transferTo(upstream.getOutputStream());
        }
    }

    private static void copy(Socket from, Socket to) {
        try (to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException cut) {
            // as above
        }
    }

    private static void refuse(Socket client) throws IOException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        OutputStream out = client.getOutputStream();
        for (var head = head(in); !head.isEmpty(); head = head(in)) {
            in.skipNBytes(length(head));
            out.write("HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s"
                    .formatted(EXPIRED.length(), head.startsWith("HEAD") ? "" : EXPIRED)
                    .getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            head.append((char) next);
            if (head.length() >= 4 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
                return head.toString();
            }
        }
        return "";
    }

    private static long length(String head) {
        return head.lines().filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .mapToLong(line -> Long.parseLong(line.substring(15).trim())).findFirst().orElse(0);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        expire(true);
    }
}
