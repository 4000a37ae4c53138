package volsh.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * Ends requests whose client keeps them waiting: one that does not send the head of a request in time, sends nothing of
 * a body or takes nothing of an answer. A thread is interrupted only while it waits for its client, which closes the
 * connection, never in the middle of work on a volume.
 */
final class ClientWaits implements AutoCloseable {
    static final Duration USUAL = Duration.ofSeconds(30);

    private final long maxNanos;
    private final Set<Wait> running = ConcurrentHashMap.newKeySet();
    @SuppressWarnings("ThreadLocalUsage")   // a thread serves one gateway
    private final ThreadLocal<Wait> own = new ThreadLocal<>();
    private final Thread watch;

    /** A request, and since when it has been waiting for its client. */
    private static final class Wait {
        private final Thread thread = Thread.currentThread();
        private long since;
        private boolean waits;
        private boolean ended;

        synchronized void begin() {
            since = System.nanoTime();
            waits = true;
            ended = false;
        }

        synchronized void end() throws IOException {
            waits = false;
            if (ended && Thread.interrupted()) {
                throw new S3Refusal(408, "RequestTimeout", "the client kept the gateway waiting for too long");
            }
        }

        synchronized void endIfOver(long now, long maxNanos) {
            if (waits && !ended && now - since > maxNanos) {
                ended = true;
                thread.interrupt();
            }
        }

        synchronized void forget() {
            waits = false;
            if (ended) {
                Thread.interrupted();
            }
        }
    }

    ClientWaits(Duration max) {
        this.maxNanos = max.toNanos();
        this.watch = Thread.ofVirtual().name("gateway-slow-clients").start(() -> watch(max.dividedBy(4)));
    }

    private void watch(Duration every) {
        try {
            while (true) {
                Thread.sleep(every);
                long now = System.nanoTime();
                running.forEach(wait -> wait.endIfOver(now, maxNanos));
            }
        } catch (InterruptedException closed) {
            return;
        }
    }

    /** Runs each request on a thread of {@code threads}, waiting for its client except where {@link #works}. */
    Executor over(ExecutorService threads) {
        return request -> threads.execute(() -> {
            var wait = new Wait();
            own.set(wait);
            wait.begin();
            running.add(wait);
            try {
                request.run();
            } finally {
                running.remove(wait);
                wait.forget();
            }
        });
    }

    /** A piece of work on a request. */
    interface Work {
        void run() throws IOException;
    }

    /** Runs what does not wait for the client. */
    void works(Work work) throws IOException {
        var wait = own.get();
        if (wait == null) {
            work.run();
            return;
        }
        wait.end();
        try {
            work.run();
        } finally {
            wait.begin();
        }
    }

    private interface Transfer {
        int run() throws IOException;
    }

    private int waiting(Transfer transfer) throws IOException {
        var wait = own.get();
        if (wait == null) {
            return transfer.run();
        }
        wait.begin();
        try {
            return transfer.run();
        } finally {
            wait.end();
        }
    }

    /** A body that the client sends. */
    InputStream from(InputStream client) {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                return waiting(client::read);
            }

            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                return waiting(() -> client.read(target, from, length));
            }
        };
    }

    /** An answer that the client takes. */
    OutputStream to(OutputStream client) {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                waiting(() -> {
                    client.write(bytes, from, length);
                    return length;
                });
            }

            @Override
            public void close() throws IOException {
                waiting(() -> {
                    client.close();
                    return 0;
                });
            }
        };
    }

    @Override
    public void close() {
        watch.interrupt();
    }
}
