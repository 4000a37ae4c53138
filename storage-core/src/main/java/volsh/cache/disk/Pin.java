package volsh.cache.disk;

import java.time.Instant;
import java.util.Optional;

/**
 * Blocks that are not evicted: those that the files below a path had when it was pinned. {@code drops} says that they leave the
 * cache when the pin expires; else they may, from then on, like others.
 */
public record Pin(String path, Instant created, Optional<Instant> expires, boolean drops, BlockSet blocks) {
    public Pin {
        if (drops && expires.isEmpty()) {
            throw new IllegalArgumentException("what never expires is never dropped: " + path);
        }
    }

    boolean isExpired(Instant now) {
        return expires.isPresent() && !expires.get().isAfter(now);
    }

    /** The same pin, of other blocks. */
    Pin of(BlockSet others) {
        return new Pin(path, created, expires, drops, others);
    }
}
