package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import volsh.meta.Strays;
import volsh.volume.BackgroundTasks.Task;

/** Gives back what was deleted while a volume stays open, a little at a time. */
final class Housekeeping implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(20);
    private static final Duration AT_MOST = Duration.ofSeconds(5);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

    private final ReentrantLock making = new ReentrantLock();
    private final AtomicLong madeRoom = new AtomicLong();   // how often
    private final Reclaimer reclaimer;
    private final Silent silent;
    private final BackgroundTasks tasks;
    private final Rest rest;
    private volatile Strays.Waiting left = Strays.Waiting.NOTHING;
    private final ScheduledExecutorService timer;

    Housekeeping(Reclaimer reclaimer, Silent silent, BackgroundTasks tasks, Rest rest) {
        this.rest = rest;
        this.tasks = tasks;
        this.silent = silent;
        this.reclaimer = reclaimer;
        this.timer = Executors.newSingleThreadScheduledExecutor(
                task -> Thread.ofPlatform().name("housekeeping").daemon().unstarted(task));
        var _ = timer.scheduleWithFixedDelay(this::run, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Looks what waits to be given back. */
    interface Rest {
        Strays.Waiting look() throws IOException;
    }

    /** What waited after the last run. */
    Strays.Waiting left() {
        return left;
    }

    private void run() {
        tasks.run(Task.SESSIONS, silent::look);
        runFor(AT_MOST);
        try {
            left = rest.look();
        } catch (IOException | RuntimeException silently) {
            // what is wrong with the metadata, reclaiming has met as well
        }
    }

    /** Works until nothing is left or the time is over. Trouble is logged: what is left waits for the next run. */
    void runFor(Duration longest) {
        tasks.run(Task.RECLAIM, () -> reclaimer.run(System.nanoTime() + longest.toNanos()));
    }

    /**
     * The store is full: gives back what was deleted, at once or as soon as no session can need it, which takes a second or two.
     * {@code renew} says which past states nobody here needs any more. Whether something was given back since the caller met a full store.
     */
    boolean makeRoom(Renewal renew) throws IOException {
        long before = madeRoom.get();
        making.lock();
        try {
            long end = System.nanoTime() + AT_MOST.toNanos();
            while (madeRoom.get() == before && System.nanoTime() < end) {
                renew.run();
                if (reclaimer.run(System.nanoTime() + AT_MOST.toNanos()).blocks() > 0) {
                    madeRoom.incrementAndGet();
                } else if (!reclaimer.hasMore()) {
                    break;
                } else {
                    LockSupport.parkNanos(LOOK_AGAIN.toNanos());
                }
            }
            return madeRoom.get() != before;
        } finally {
            making.unlock();
        }
    }

    /** Tells everybody which past states this session needs no more. */
    interface Renewal {
        void run() throws IOException;
    }

    /** Works until nothing is left or it is stopped; says what was given back. */
    Reclaimer.Reclaimed runNow(BooleanSupplier stopped) throws IOException {
        long blocks = 0;
        long bytes = 0;
        while (!stopped.getAsBoolean()) {
            var some = reclaimer.run(System.nanoTime() + AT_MOST.toNanos());
            blocks += some.blocks();
            bytes += some.bytes();
            if (!some.more()) {
                break;
            }
        }
        return new Reclaimer.Reclaimed(blocks, bytes, false);
    }

    /** Stops the timer; a run under way is finished first. */
    @Override
    public void close() {
        timer.shutdown();
        timer.close();
    }
}
