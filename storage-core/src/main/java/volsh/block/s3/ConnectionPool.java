package volsh.block.s3;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import volsh.block.S3Options;

/** A bounded pool of connections to one server, some kept idle. A separate thread ends requests that time out. */
final class ConnectionPool implements AutoCloseable {
    private static final Duration IDLE = Duration.ofSeconds(20);
    private static final int LOOKS = 16;

    private final Endpoint endpoint;
    private final Optional<SSLSocketFactory> tls;
    private final Optional<HttpProxy> proxy;
    private final Duration timeout;
    private final Semaphore permits;
    private final Set<Line> busy = ConcurrentHashMap.newKeySet();
    private final Deque<Kept> idle = new ArrayDeque<>();   // guarded by itself; the newest first
    private final Thread watch;
    private volatile boolean closed;

    private record Kept(Line line, long sinceNanos) {
        boolean isOld(long now) {
            return now - sinceNanos > IDLE.toNanos();
        }
    }

    ConnectionPool(Endpoint endpoint, Optional<SSLSocketFactory> tls, Optional<HttpProxy> proxy, S3Options options) {
        this.endpoint = endpoint;
        this.tls = tls;
        this.proxy = proxy;
        this.timeout = options.timeout();
        this.permits = new Semaphore(options.connections());
        this.watch = Thread.ofPlatform().name("s3-deadlines").daemon().unstarted(this::watch);
        watch.start();
    }

    /** A connection to use; {@code anew}: a new one. Give it back, or discard it. */
    Line take(boolean anew) throws IOException {
        acquire();
        try {
            var line = anew ? Optional.<Line>empty() : kept();
            var taken = line.isPresent() ? line.get() : connect();
            busy.add(taken);
            return taken;
        } catch (IOException | RuntimeException failed) {
            permits.release();
            throw failed;
        }
    }

    private void acquire() throws IOException {
        try {
            if (!permits.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IOException("timed out: all connections are in use");
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for a connection");
        }
    }

    private Optional<Line> kept() {
        synchronized (idle) {
            var newest = idle.poll();
            if (newest == null || !newest.isOld(System.nanoTime())) {
                return Optional.ofNullable(newest).map(Kept::line);
            }
            newest.line().close();
            idle.forEach(older -> older.line().close());
            idle.clear();
            return Optional.empty();
        }
    }

    private Line connect() throws IOException {
        if (closed) {
            throw new IOException("the store is closed");
        }
        IOException last = null;
        int port = proxy.map(HttpProxy::port).orElseGet(endpoint::port);
        for (var address : InetAddress.getAllByName(proxy.map(HttpProxy::host).orElseGet(endpoint.server()::getHost))) {
            try {
                var plain = connect(new InetSocketAddress(address, port));
                return new Line(tls.isEmpty() ? plain : secure(plain, tls.get()));
            } catch (IOException failed) {
                last = failed;
            }
        }
        throw last;
    }

    private PlainWire connect(InetSocketAddress address) throws IOException {
        try {
            return PlainWire.connect(address, Connection.shorter(Connection.CONNECT, timeout));
        } catch (IOException failed) {
            String message = failed.getMessage();
            throw new IOException(proxy.isEmpty() ? "%s:%d: %s".formatted(endpoint.server().getHost(), endpoint.port(),
                    message) : "proxy %s: %s".formatted(proxy.get(), message));
        }
    }

    private Wire secure(PlainWire plain, SSLSocketFactory factory) throws IOException {
        if (proxy.isPresent()) {
            tunnel(plain, proxy.get());
        }
        return TlsWire.over(plain, endpoint.server(), factory, silence());
    }

    /** Opens a tunnel through the proxy. */
    private void tunnel(PlainWire plain, HttpProxy through) throws IOException {
        String where = endpoint.server().getHost() + ':' + endpoint.port();
        String request = "CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n"
                + through.authorization().map("Proxy-Authorization: %s\r\n"::formatted).orElse("") + "\r\n";
        var line = new Line(plain);
        begin(line);
        busy.add(line);
        boolean open = false;
        try {
            line.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)), ByteBuffer.allocate(0));
            int status = AnswerHead.read(line).status();
            if (status >= 300) {
                throw new IOException(
                        "proxy %s refused the connection to %s: status %d".formatted(through, where, status));
            }
            open = true;
        } finally {
            busy.remove(line);
            if (!line.end() || !open) {
                line.close();
            }
        }
    }

    private Duration silence() {
        return Connection.shorter(Connection.SILENCE, timeout);
    }

    /** Begins a request and returns its number. */
    long begin(Line line) {
        return line.begin(timeout, silence());
    }

    /** The response was read completely. */
    void giveBack(Line line) {
        boolean usable = line.end();
        busy.remove(line);
        if (usable && !closed) {
            synchronized (idle) {
                idle.push(new Kept(line, System.nanoTime()));
            }
        } else {
            line.close();
        }
        permits.release();
    }

    /** Closes a connection in an unknown state. */
    void discard(Line line) {
        line.close();
        line.end();
        busy.remove(line);
        permits.release();
    }

    private void watch() {
        long pause = Math.clamp(timeout.toMillis() / LOOKS, 2, 1000);
        try {
            while (!closed) {
                Thread.sleep(pause);
                long now = System.nanoTime();
                busy.forEach(line -> line.cutIfLate(now));
                closeOld(now);
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeOld(long now) {
        synchronized (idle) {
            while (!idle.isEmpty() && idle.peekLast().isOld(now)) {
                idle.pollLast().line().close();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        watch.interrupt();
        synchronized (idle) {
            idle.forEach(each -> each.line().close());
            idle.clear();
        }
        busy.forEach(Line::close);
    }
}
