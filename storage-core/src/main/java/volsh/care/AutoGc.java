package volsh.care;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import volsh.assembly.BackgroundTasks;
import volsh.block.Pause;
import volsh.catalog.ClockJump;
import volsh.catalog.GcMode;
import volsh.catalog.Log;
import volsh.engine.MetaEngine;
import volsh.history.Purge;
import volsh.inventory.GcTurns;
import volsh.inventory.Superblock;

/**
 * Collects the garbage of a volume while it is mounted: history that no kept time shows, and unreferenced objects that
 * are a day old; slowly, and one mount at a time. {@link Housekeeping} reclaims the blocks that die with it, when no
 * open file can need them. The rules are those of {@link GarbageCollection}.
 */
public final class AutoGc implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMinutes(5);
    private static final Duration PURGE_EVERY = Duration.ofHours(6);
    private static final Duration SWEEP_EVERY = Duration.ofHours(24);
    /** Unreferenced objects are left alone for this long. */
    static final Duration AGE = Duration.ofHours(24);
    /** Versions and objects that are looked at in a second. */
    private static final int RATE = 2000;

    private final String volume;
    private final MetaEngine engine;
    private final Collector collector;
    private final InstantSource clock;
    private final Pause pause;
    private final BackgroundTasks tasks;
    private final LongSupplier session;
    private final ClockJump jump;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("gc").daemon().factory());
    private volatile boolean closed;
    private boolean toldJump;

    /** Collects, beside files that are open. */
    public interface Collector {
        Garbage collect(GcTurns.Turn turn, Duration age, Garbage.Watcher watcher) throws IOException;
    }

    /** The time of {@code pause} goes on as time does, whatever is done to the clock. */
    public AutoGc(String volume, MetaEngine engine, Collector collector, InstantSource clock, Pause pause,
            LongSupplier session, BackgroundTasks tasks) {
        this.tasks = tasks;
        this.volume = volume;
        this.engine = engine;
        this.collector = collector;
        this.clock = clock;
        this.pause = pause;
        this.session = session;
        this.jump = new ClockJump(clock, pause);
    }

    public void start() {
        var _ = timer.scheduleWithFixedDelay(this::tryTurn, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tryTurn() {
        try {
            turn().ifPresent(done -> Log.LOG.log(Level.INFO,
                    "volume '%s': gc deleted %d old versions and %d unreferenced objects (%d bytes)"
                    .formatted(volume, done.versions(), done.objects(), done.objectBytes())));
            tasks.succeeded(BackgroundTasks.Task.COLLECT);
        } catch (IOException | RuntimeException later) {
            tasks.failed(BackgroundTasks.Task.COLLECT, later);
        }
    }

    /** Collects if it is due, no other mount is collecting, and the clock can be trusted; what was done, if it was. */
    Optional<Garbage> turn() throws IOException {
        if (mode() == GcMode.MANUAL || !isTrusted()) {
            return Optional.empty();
        }
        var turns = new GcTurns(engine, clock, session.getAsLong());
        var turn = turns.begin(PURGE_EVERY, SWEEP_EVERY);
        if (turn.isEmpty()) {
            return Optional.empty();
        }
        var watcher = new Slow(turns);
        var done = collector.collect(turn.get(), AGE, watcher);
        if (watcher.cancelled()) {
            turns.giveUp();
        } else {
            turns.end(turn.get(), done.versions(), done.objects(), done.objectBytes());
        }
        return Optional.of(done);
    }

    /** Whether the clock of this machine has jumped since this was begun. */
    public Optional<ClockJump.Jumped> clockJump() {
        return jump.look();
    }

    private GcMode mode() throws IOException {
        return new Superblock(engine, clock).setting(GcMode.SETTING, GcMode::parse);
    }

    /** A clock that jumps would let history look old: once it did, this process leaves history to people. */
    private boolean isTrusted() throws IOException {
        boolean jumped = jump.look().isPresent();
        if (jumped && !toldJump) {
            toldJump = true;
            Log.LOG.log(Level.WARNING, ("the clock of this machine has jumped: this mount no longer collects the "
                    + "garbage of volume '%s'").formatted(volume));
        }
        return !jumped && new Purge(engine, clock, 0).distrust(ClockJump.IDLE).isEmpty();
    }

    /** Takes its time, and stops when it is no longer wanted. */
    private final class Slow implements Garbage.Watcher {
        private final GcTurns turns;
        private boolean stopped;

        Slow(GcTurns turns) {
            this.turns = turns;
        }

        @Override
        public void looked(long things) {
            try {
                for (long left = things; left > 0 && !closed; left -= RATE / 4) {
                    pause.sleep(Duration.ofNanos(Math.min(left, RATE / 4) * 1_000_000_000L / RATE));
                }
                stopped |= !turns.isMine() || mode() == GcMode.MANUAL;
            } catch (IOException over) {
                stopped = true;
            }
        }

        @Override
        public boolean cancelled() {
            return stopped || closed;
        }
    }

    /** Stops; a page under way is finished first. */
    @Override
    public void close() {
        closed = true;
        timer.shutdown();
        timer.close();
    }
}
