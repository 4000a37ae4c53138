package volsh.postgrestest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** Stands before a server on a loopback port, passes everything on, and loses what it is told to lose. */
public final class LosingProxy implements AutoCloseable {
    /** What happens to the next thing a client sends. */
    public enum Loss {
        /** The server never hears of it. */
        REQUEST,
        /** The server does it, and its answer does not arrive. */
        ANSWER,
        /** The client is cut off at once, and the server goes on with it, not knowing. */
        CLIENT
    }

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int server;
    private final AtomicReference<Loss> armed = new AtomicReference<>();
    private final AtomicReference<String> awaited = new AtomicReference<>();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<Socket> silent = ConcurrentHashMap.newKeySet();
    private volatile boolean refusing;
    private volatile boolean swallowing;

    public LosingProxy(int server) throws IOException {
        this.server = server;
        Thread.ofPlatform().daemon().name("proxy").start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** The next thing that any client sends meets this. */
    public void lose(Loss loss) {
        armed.set(loss);
    }

    /** The next thing that any client sends with these words in it is done, and its answer does not arrive. */
    public void loseAnswerTo(String words) {
        awaited.set(words);
    }

    private boolean isAwaited(byte[] sent, int count) {
        var words = awaited.get();
        return words != null && new String(sent, 0, count, StandardCharsets.ISO_8859_1).contains(words)
                && awaited.compareAndSet(words, null);
    }

    /** Nobody new gets through, until nobody is refused any more. */
    public void refuse(boolean everybody) {
        refusing = everybody;
    }

    /** The connections that there are now stay open, and nothing comes through them any more. */
    public void hang() {
        silent.addAll(sockets);
    }

    /**
     * A black hole: nothing comes through any connection, those that are made now included, until it is closed again.
     */
    public void swallow(boolean everything) {
        swallowing = everything;
    }

    private boolean isSilent(Socket client) {
        return swallowing || silent.contains(client);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                var client = listener.accept();
                if (refusing) {
                    client.close();
                } else {
                    join(client);
                }
            } catch (SocketException closed) {
                return;
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    private void join(Socket client) throws IOException {
        var away = new Socket(InetAddress.getLoopbackAddress(), server);
        client.setTcpNoDelay(true);
        away.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(away);
        var losing = new AtomicReference<Loss>();
        Thread.ofPlatform().daemon().start(() -> requests(client, away, losing));
        Thread.ofPlatform().daemon().start(() -> answers(away, client, losing));
    }

    private void requests(Socket client, Socket away, AtomicReference<Loss> losing) {
        try {
            byte[] buffer = new byte[1 << 16];
            for (int count = client.getInputStream().read(buffer); count >= 0;
                    count = client.getInputStream().read(buffer)) {
                var loss = isAwaited(buffer, count) ? Loss.ANSWER : armed.getAndSet(null);
                losing.compareAndSet(null, loss);
                if (loss == Loss.REQUEST) {
                    break;
                }
                if (isSilent(client)) {
                    continue;
                }
                away.getOutputStream().write(buffer, 0, count);
                if (loss == Loss.CLIENT) {
                    client.close();
                    return;
                }
            }
        } catch (IOException gone) {
            // the other side is closed, too
        }
        if (losing.get() != Loss.CLIENT) {
            close(client, away);
        }
    }

    private void answers(Socket away, Socket client, AtomicReference<Loss> losing) {
        try {
            byte[] buffer = new byte[1 << 16];
            for (int count = away.getInputStream().read(buffer); count >= 0;
                    count = away.getInputStream().read(buffer)) {
                if (losing.get() != null) {
                    break;   // the server is done with it: nobody keeps one of its connections
                }
                if (isSilent(client)) {
                    continue;
                }
                client.getOutputStream().write(buffer, 0, count);
            }
        } catch (IOException gone) {
            // the other side is closed, too
        }
        close(client, away);
    }

    private void close(Socket... ending) {
        for (var socket : ending) {
            sockets.remove(socket);
            try {
                socket.close();
            } catch (IOException closed) {
                // is what it shall be
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        close(sockets.toArray(Socket[]::new));
    }
}
