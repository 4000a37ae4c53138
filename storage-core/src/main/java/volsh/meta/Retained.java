package volsh.meta;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The ticks whose state must stay readable: every tick of the last {@code window} seconds (-1: all), and the pinned
 * ones. A tick is a second since the epoch that never runs backwards.
 */
public record Retained(long window, long[] pins) {
    static final Retained NOTHING = new Retained(0, new long[0]);

    private static final long WINDOW_MAX = Duration.ofNanos(Long.MAX_VALUE).toSeconds();

    /** Whether a window can have this length. */
    public static boolean isWindow(long seconds) {
        return seconds >= -1 && seconds <= WINDOW_MAX;
    }

    public static Retained parse(byte @Nullable [] row) {
        if (row == null) {
            return NOTHING;
        }
        var in = ByteBuffer.wrap(row);
        long window = in.getLong();
        long[] pins = new long[in.remaining() / 8];
        for (int i = 0; i < pins.length; i++) {
            pins[i] = in.getLong();
        }
        return new Retained(window, pins);
    }

    public byte[] toBytes() {
        var out = ByteBuffer.allocate(8 + 8 * pins.length).putLong(window);
        for (long pin : pins) {
            out.putLong(pin);
        }
        return out.array();
    }

    Retained withWindow(long seconds) {
        return new Retained(seconds, pins);
    }

    /** Adds a pin; pins are kept in order, each once. */
    Retained withPin(long tick) {
        if (isPinned(tick)) {
            return this;
        }
        long[] more = Arrays.copyOf(pins, pins.length + 1);
        more[pins.length] = tick;
        Arrays.sort(more);
        return new Retained(window, more);
    }

    public Retained withoutPin(long tick) {
        return new Retained(window, Arrays.stream(pins).filter(pin -> pin != tick).toArray());
    }

    public boolean isPinned(long tick) {
        return Arrays.binarySearch(pins, tick) >= 0;
    }

    /** The first tick of the window, if there is one, when {@code running} is the current tick. */
    long windowStart(long running) {
        return window < 0 ? 0 : Math.max(0, running - window);
    }

    /** Whether one of the pins is in {@code [since, end)}. */
    private boolean pinsOneOf(long since, long end) {
        int at = Arrays.binarySearch(pins, since);
        int first = at >= 0 ? at : -at - 1;
        return first < pins.length && pins[first] < end;
    }

    /** Whether a version current in {@code [since, end)} is visible from a pinned tick, or from {@code first} on. */
    public boolean shows(long since, long end, long first) {
        return end > first || pinsOneOf(since, end);
    }

    /** Whether a version that was current in {@code [since, now)} must be kept. */
    public boolean needs(long since, long now) {
        if (since >= now) {
            return false;
        }
        if (window != 0) {
            return true;   // now - 1 is a retained tick, and the version was current then
        }
        return pinsOneOf(since, now);
    }
}
