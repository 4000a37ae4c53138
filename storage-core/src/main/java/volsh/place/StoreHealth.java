package volsh.place;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Whether a store can be used. Thread-safe.
 *
 * <pre>
 *   up ──a call fails──▶ suspect ──two more in a row──▶ down ──a probe answers──▶ up
 *    ▲                      │                             │
 *    └────a call succeeds───┘                             └─ probed after 0.5 s, then twice as long each time, up to
 *                                                            15 s
 * </pre>
 *
 * A store that is down is not used, and nothing waits for it; a store that is suspect is used only after the others.
 */
public final class StoreHealth {
    private static final Logger LOG = System.getLogger("volsh.place");
    private static final int FAILURES_MAX = 3;
    private static final long PAUSE_FIRST = Duration.ofMillis(500).toNanos();
    private static final long PAUSE_LONGEST = Duration.ofSeconds(15).toNanos();

    /** In the order of preference. */
    public enum State {
        UP,
        SUSPECT,
        DOWN
    }

    /** Checks that the store answers and is the right one. */
    interface Probe {
        void run() throws IOException;
    }

    private final String store;
    private final Probe probe;
    private final Executor executor;
    private int failures;
    private @Nullable String reason;   // null while up
    private long pause;
    private long due;
    private long since;   // when it went down
    private boolean shut;   // by a caller that found it missing, or found another store
    private boolean probing;
    private volatile State state = State.UP;

    StoreHealth(String store, Probe probe, Executor executor) {
        this.store = store;
        this.probe = probe;
        this.executor = executor;
    }

    public State state() {
        return state;
    }

    /** Why it is not up. */
    public synchronized Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    /** Whether it must not be used now. If it is down and a probe is due, starts one. */
    public boolean isAway() {
        return !isUsable();
    }

    /** Whether it may be used now. If it is down and a probe is due, starts one. */
    boolean isUsable() {
        if (state != State.DOWN) {
            return true;
        }
        if (isDue()) {
            executor.execute(this::probe);
        }
        return false;
    }

    private synchronized boolean isDue() {
        boolean now = state == State.DOWN && !probing && System.nanoTime() - due >= 0;
        probing |= now;
        return now;
    }

    /** Whether it has been down for this long, or was shut: waiting for it may be in vain. */
    synchronized boolean isAwayFor(Duration time) {
        return state == State.DOWN && (shut || System.nanoTime() - since >= time.toNanos());
    }

    /** Says that a store is down and why; the reason may already say so. */
    static String said(String store, String why) {
        return why.startsWith("store '%s'".formatted(store)) ? why : "store '%s' is down: %s".formatted(store, why);
    }

    private void probe() {
        try {
            probe.run();
            succeeded();
        } catch (IOException | RuntimeException still) {
            postpone(Objects.requireNonNullElse(still.getMessage(), still.toString()));
        }
    }

    private synchronized void postpone(String why) {
        probing = false;
        reason = why;
        pause = Math.min(PAUSE_LONGEST, 2 * pause);
        due = System.nanoTime() + pause;
    }

    void succeeded() {
        if (state != State.UP) {
            readmit();
        }
    }

    private synchronized void readmit() {
        if (state == State.DOWN) {
            LOG.log(Level.INFO, "store '%s' is up again".formatted(store));
        }
        state = State.UP;
        failures = 0;
        reason = null;
        probing = false;
        shut = false;
    }

    synchronized void failed(String why) {
        reason = why;
        if (state != State.DOWN && ++failures >= FAILURES_MAX) {
            down(why);
        } else if (state == State.UP) {
            state = State.SUSPECT;
        }
    }

    /** Stops using the store until a probe succeeds. */
    synchronized void close(String why) {
        down(why);
        shut = true;
    }

    private void down(String why) {
        LOG.log(Level.WARNING, said(store, why));
        since = state == State.DOWN ? since : System.nanoTime();
        state = State.DOWN;
        reason = why;
        pause = PAUSE_FIRST;
        due = System.nanoTime() + pause;
    }
}
