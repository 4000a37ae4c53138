package volsh.meta;

import java.io.IOException;
import java.util.OptionalLong;

/** A past state was asked for that cannot be read: it was not kept, or is still to come. */
public final class NoSuchMomentException extends IOException {
    private final long tick;
    private final long running;
    private final transient OptionalLong earliest;

    NoSuchMomentException(long tick, long running, OptionalLong earliest) {
        super("no state of tick %d can be read".formatted(tick));
        this.tick = tick;
        this.running = running;
        this.earliest = earliest;
    }

    /** The tick asked for. */
    public long tick() {
        return tick;
    }

    /** Is it still to come? */
    public boolean isFuture() {
        return tick > running;
    }

    /** The first tick from which on every one can be read; empty if only snapshots can. */
    public OptionalLong earliest() {
        return earliest;
    }
}
