package volsh.history;

import java.util.OptionalLong;

/**
 * The ticks of a removal, first to last: a directory is removed name by name.
 *
 * @param earlier how many names below it had been removed earlier, before this began
 * @param lastEarlier the last tick in which one of those was removed
 */
public record RemovalSpan(long first, long last, long earlier, OptionalLong lastEarlier) {
    static RemovalSpan of(long tick) {
        return new RemovalSpan(tick, tick, 0, OptionalLong.empty());
    }

    /** The last tick that ended with all of it. */
    public long before() {
        return first - 1;
    }

    public long seconds() {
        return last - first + 1;
    }

    /** Whether it took more than a tick. */
    public boolean isLong() {
        return last > first;
    }
}
