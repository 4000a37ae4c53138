package volsh.history;

import java.util.OptionalLong;

/**
 * The ticks in which something went, first to last: a directory goes name by name.
 *
 * @param earlier how many names below it had gone before, and were not there when this began
 * @param lastEarlier the last tick in which one of those went
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

    /** Did it take more than a tick? */
    public boolean isLong() {
        return last > first;
    }
}
