package volsh.s3test;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Stands before an HTTP server on a loopback port and lets {@link Faults} happen to what passes. */
public final class FaultProxy implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final int server;
    private final Faults faults;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong requests = new AtomicLong();
    private volatile boolean down;

    public FaultProxy(int server, Faults faults) throws IOException {
        this.server = server;
        this.faults = faults;
        Thread.ofVirtual().start(this::listen);
    }

    public String endpoint() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** Requests that arrived here. */
    public long requests() {
        return requests.get();
    }

    public Faults faults() {
        return faults;
    }

    /** Cuts all connections, and each new one as soon as it is made; or lets them pass again. */
    public void setDown(boolean now) throws IOException {
        down = now;
        if (now) {
            for (Socket each : open) {
                each.close();
            }
        }
    }

    private void listen() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        open.add(client);
        try (client) {
            if (down) {
                reset(client);
                return;
            }
            client.setSoTimeout(PATIENCE_MILLIS);
            client.setTcpNoDelay(true);
            try (var upstream = new Socket(InetAddress.getLoopbackAddress(), server)) {
                upstream.setTcpNoDelay(true);
                new Exchange(client, upstream).run();
            }
        } catch (IOException cut) {
            // one side went away, which is what this class is for
        } finally {
            open.remove(client);
        }
    }

    private static void reset(Socket client) throws IOException {
        client.setSoLinger(true, 0);
        client.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        setDown(true);
    }

    /** One connection, request after request. */
    private final class Exchange {
        private final Socket client;
        private final InputStream fromClient;
        private final OutputStream toClient;
        private final InputStream fromServer;
        private final OutputStream toServer;

        Exchange(Socket client, Socket upstream) throws IOException {
            this.client = client;
            this.fromClient = new BufferedInputStream(client.getInputStream(), 1 << 16);
            this.toClient = client.getOutputStream();
            this.fromServer = new BufferedInputStream(upstream.getInputStream(), 1 << 16);
            this.toServer = upstream.getOutputStream();
        }

        void run() throws IOException {
            var request = HttpMessage.read(fromClient, false);
            while (request.isPresent() && !down) {
                requests.incrementAndGet();
                var fault = faults.next(request.get());
                if (!(fault.isEmpty() ? pass(request.get()) : spoil(request.get(), fault.get()))) {
                    return;
                }
                request = HttpMessage.read(fromClient, false);
            }
        }

        private boolean pass(HttpMessage request) throws IOException {
            send(forward(request));
            return true;
        }

        private HttpMessage forward(HttpMessage request) throws IOException {
            toServer.write(request.headBytes());
            toServer.write(request.body());
            toServer.flush();
            return HttpMessage.read(fromServer, request.method().equals("HEAD"))
                    .orElseThrow(() -> new IOException("the server hung up"));
        }

        private void send(HttpMessage answer) throws IOException {
            toClient.write(answer.headBytes());
            toClient.write(answer.body());
            toClient.flush();
        }

        /** Whether the connection goes on. */
        private boolean spoil(HttpMessage request, Fault fault) throws IOException {
            return switch (fault) {
                case INTERNAL_ERROR -> refuse(request, "500 Internal Server Error", "InternalError", "");
                case SLOW_DOWN -> refuse(request, "503 Service Unavailable", "SlowDown", "");
                case STALE_404 -> refuse(request, "404 Not Found", "NoSuchKey", "");
                case REDIRECT -> refuse(request, "307 Temporary Redirect", "TemporaryRedirect",
                        "Location: http://127.0.0.1:9/elsewhere");
                case STALL -> stall();
                case RESET_BEFORE -> cut();
                case LOST_REPLY -> {
                    forward(request);
                    yield cut();
                }
                case RESET_IN_REPLY -> {
                    sendPart(forward(request));
                    yield cut();
                }
                case TRUNCATED_REPLY -> {
                    sendPart(forward(request));
                    yield false;
                }
                case SLOW_REPLY -> drip(forward(request));
                case FLIPPED_REPLY -> {
                    var answer = forward(request);
                    send(isObject(answer) ? answer.with(faults.flipped(answer.body())) : answer);
                    yield true;
                }
                case FLIPPED_REQUEST -> pass(request.with(faults.flipped(request.body())));
                case WRONG_LENGTH -> {
                    var answer = forward(request);
                    send(answer.with(Arrays.copyOf(answer.body(), answer.body().length / 2)));
                    yield true;
                }
            };
        }

        private static boolean isObject(HttpMessage answer) {
            return answer.start().contains(" 206") && answer.body().length > 0;
        }

        private boolean refuse(HttpMessage request, String status, String code, String header) throws IOException {
            String body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>%s</Code></Error>".formatted(code);
            var answer = HttpMessage.answer(status, header, body);
            toClient.write(answer.headBytes());
            if (!request.method().equals("HEAD")) {
                toClient.write(answer.body());
            }
            toClient.flush();
            return true;
        }

        private boolean stall() throws IOException {
            while (fromClient.read() >= 0) {
                // until the client gives up
            }
            return false;
        }

        private boolean cut() throws IOException {
            reset(client);
            return false;
        }

        /** Sends the answer up to some byte of its head or body, never all of it. */
        private void sendPart(HttpMessage answer) throws IOException {
            byte[] head = answer.headBytes();
            int cut = faults.cut(head.length + answer.body().length);
            toClient.write(head, 0, Math.min(cut, head.length));
            toClient.write(answer.body(), 0, Math.max(0, cut - head.length));
            toClient.flush();
        }

        private boolean drip(HttpMessage answer) throws IOException {
            byte[] head = answer.headBytes();
            int half = head.length / 2;
            toClient.write(head, 0, half);
            pause();
            toClient.write(head, half, head.length - half);
            pause();
            toClient.write(answer.body());
            toClient.flush();
            return true;
        }

        private static void pause() throws IOException {
            try {
                Thread.sleep(20);
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            }
        }
    }
}
