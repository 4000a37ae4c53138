package volsh.command.console;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A progress that is shown from time to time by a thread of its own, until closed. */
final class LiveProgress implements Progress {
    /** Shows the state, at intervals and at the end. */
    interface Display {
        Duration interval();

        void show(Advance advance);

        void end(Advance advance);
    }

    private final String name;
    private volatile long total;
    private final boolean bytes;
    private final InstantSource clock;
    private final Display display;
    private final long start;
    private final LongAdder done = new LongAdder();
    private final LongAdder files = new LongAdder();
    private volatile long totalFiles = -1;
    private final CountDownLatch closed = new CountDownLatch(1);

    LiveProgress(String name, long total, boolean bytes, InstantSource clock, Display display) {
        this.name = name;
        this.total = total;
        this.bytes = bytes;
        this.clock = clock;
        this.display = display;
        this.start = clock.millis();
    }

    LiveProgress start() {
        var reporter = new Thread(this::report, "progress " + name);
        reporter.setDaemon(true);
        reporter.start();
        return this;
    }

    private void report() {
        try {
            while (!closed.await(display.interval().toMillis(), TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Shows the current state, unless the progress has ended. */
    synchronized void look() {
        if (closed.getCount() > 0) {
            display.show(advance());
        }
    }

    private Advance advance() {
        return new Advance(name, done.sum(), total, bytes, Duration.ofMillis(clock.millis() - start), files.sum(),
                totalFiles);
    }

    @Override
    public void add(long amount) {
        done.add(amount);
    }

    @Override
    public void addFiles(long count) {
        files.add(count);
    }

    @Override
    public void totalFiles(long count) {
        totalFiles = count;
    }

    @Override
    public void total(long amount) {
        total = amount;
    }

    @Override
    public synchronized void close() {
        if (closed.getCount() > 0) {
            closed.countDown();
            display.end(advance());
        }
    }
}
