package volsh.care;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import volsh.assembly.BackgroundTasks;
import volsh.assembly.BackgroundTasks.Task;
import volsh.engine.RequestClock;
import volsh.inventory.Strays;
import volsh.pack.Reclaimer;

/** Reclaims what was deleted while a volume stays open, a little at a time. */
public final class Housekeeping implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(20);
    private static final Duration AT_MOST = Duration.ofSeconds(5);

    private static final Duration WAIT_FOR_ROOM = Duration.ofSeconds(5);
    private static final Duration HURRY = Duration.ofMinutes(1);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

    private final ReentrantLock making = new ReentrantLock();
    private final AtomicLong madeRoom = new AtomicLong();   // how often, in stores
    private final AtomicLong freedRows = new AtomicLong();  // and in the metadata
    private final AtomicLong hurryUntil = new AtomicLong(System.nanoTime());
    private volatile @Nullable Reclaimer reclaimer;   // null until this is started
    private final StaleSessions silent;
    private final BackgroundTasks tasks;
    private final Rest rest;
    private final Runnable reserve;
    private volatile Strays.Waiting left = Strays.Waiting.NOTHING;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("housekeeping").daemon().unstarted(task));

    /** {@code reserve} makes what was given up of space that the metadata needs to free some. */
    public Housekeeping(StaleSessions silent, BackgroundTasks tasks, Rest rest, Runnable reserve) {
        this.rest = rest;
        this.tasks = tasks;
        this.reserve = reserve;
        this.silent = silent;
    }

    /** Begins to work in the background. Nothing may be asked of it before. */
    public Housekeeping start(Reclaimer means) {
        reclaimer = means;
        var _ = timer.scheduleWithFixedDelay(this::run, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
        return this;
    }

    private Reclaimer reclaimer() {
        return Objects.requireNonNull(reclaimer, "not started");
    }

    /** Looks what waits to be given back. */
    public interface Rest {
        Strays.Waiting look() throws IOException;
    }

    /** What waited after the last run. */
    public Strays.Waiting left() {
        return left;
    }

    /** One deadline for all of it: closing the volume waits for its end. */
    private void run() {
        RequestClock.begin(System.nanoTime());
        try {
            runAll();
        } finally {
            RequestClock.end();
        }
    }

    private void runAll() {
        tasks.run(Task.SESSIONS, silent::look);
        runFor(AT_MOST);
        try {
            reserve.run();
            left = rest.look();
        } catch (IOException | RuntimeException silently) {
            // what is wrong with the metadata, reclaiming has met as well
        }
    }

    /** Works until nothing is left or the time is over. Trouble is logged: what is left waits for the next run. */
    public void runFor(Duration longest) {
        tasks.run(Task.RECLAIM, () -> reclaimer().run(System.nanoTime() + longest.toNanos()));
    }

    /**
     * The store is full: gives back what was deleted, at once or as soon as no session can need it, which takes a
     * second or two. {@code renew} tells other sessions which past states this one needs no more. True if something was
     * given back since the caller met a full store.
     */
    public boolean makeRoom(Renewal renew) throws IOException {
        return makeRoom(renew, madeRoom);
    }

    /** The same where the disk of the metadata is full. */
    public boolean freeRows(Renewal renew) throws IOException {
        return makeRoom(renew, freedRows);
    }

    private boolean makeRoom(Renewal renew, AtomicLong made) throws IOException {
        long before = made.get();
        // several callers wait at the same time, not one after the other
        long end = System.nanoTime() + WAIT_FOR_ROOM.toNanos();
        hurry(renew);
        making.lock();
        try {
            while (made.get() == before) {
                renew.run();
                reclaim();
                if (made.get() == before && (System.nanoTime() >= end || !reclaimer().hasMore())) {
                    break;
                } else if (made.get() == before) {
                    LockSupport.parkNanos(LOOK_AGAIN.toNanos());
                }
            }
            return made.get() != before;
        } finally {
            making.unlock();
        }
    }

    private void reclaim() throws IOException {
        var reclaimed = reclaimer().run(System.nanoTime() + AT_MOST.toNanos());
        if (reclaimed.blocks() > 0) {
            madeRoom.incrementAndGet();
        }
        if (reclaimed.freed()) {
            freedRows.incrementAndGet();
        }
    }

    /**
     * For a while after a store or the disk of the metadata was found full, what is deleted is given back every second.
     */
    private void hurry(Renewal renew) {
        long now = System.nanoTime();
        boolean hurrying = hurryUntil.getAndSet(now + HURRY.toNanos()) - now > 0;
        if (!hurrying) {
            hurryUntil.set(now + HURRY.toNanos());
            next(renew);
        }
    }

    private void next(Renewal renew) {
        try {
            var _ = timer.schedule(() -> hurried(renew), 1, TimeUnit.SECONDS);
        } catch (RejectedExecutionException closing) {
            // the last run is made then
        }
    }

    private void hurried(Renewal renew) {
        try {
            renew.run();
            reclaim();
        } catch (IOException | RuntimeException later) {
            // a writer gets ENOSPC, and the usual turn logs why
        }
        if (hurryUntil.get() - System.nanoTime() > 0) {
            next(renew);
        }
    }

    /** Tells other sessions which past states this one needs no more. */
    public interface Renewal {
        void run() throws IOException;
    }

    /** Does something wait, now or when no session can need it any more? */
    boolean hasMore() throws IOException {
        return reclaimer().hasMore();
    }

    /** Works until nothing is left or it is stopped; says what was given back. */
    Reclaimer.Reclaimed runNow(BooleanSupplier stopped) throws IOException {
        long blocks = 0;
        long bytes = 0;
        boolean freed = false;
        while (!stopped.getAsBoolean()) {
            var some = reclaimer().run(System.nanoTime() + AT_MOST.toNanos());
            blocks += some.blocks();
            bytes += some.bytes();
            freed |= some.freed();
            if (!some.more()) {
                break;
            }
        }
        return new Reclaimer.Reclaimed(blocks, bytes, freed, false);
    }

    @Override
    public void close() {
        close(true);
    }

    /** Stops the timer; with {@code patience}, a run under way is finished first. */
    public void close(boolean patience) {
        timer.shutdown();
        if (patience) {
            timer.close();
        }
    }
}
