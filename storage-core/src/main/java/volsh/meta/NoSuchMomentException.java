package volsh.meta;

import java.io.IOException;
import java.util.OptionalLong;

/** The requested past state cannot be read: it was not kept, or is in the future. */
public final class NoSuchMomentException extends IOException {
    private final long tick;
    private final long running;
    private final transient OptionalLong earliest;

    NoSuchMomentException(long tick, long running, OptionalLong earliest) {
        super("the state of tick %d is not available: it was not kept, or is in the future".formatted(tick));
        this.tick = tick;
        this.running = running;
        this.earliest = earliest;
    }

    /** The requested tick. */
    public long tick() {
        return tick;
    }

    /** Whether the tick is in the future. */
    public boolean isFuture() {
        return tick > running;
    }

    /** The first tick from which every one can be read; empty if only snapshots can. */
    public OptionalLong earliest() {
        return earliest;
    }
}
