package volsh.cache.disk;

import java.time.Instant;
import java.util.Optional;

/**
 * Blocks that are not evicted: those of the files below a path at the time it was pinned. With {@code drops} they leave
 * the cache when the pin expires; else they may be evicted from then on, like others.
 */
public record Pin(String path, Instant created, Optional<Instant> expires, boolean drops, BlockSet blocks) {
    public Pin {
        if (drops && expires.isEmpty()) {
            throw new IllegalArgumentException("a pin can only be dropped when it expires: " + path);
        }
    }

    boolean isExpired(Instant now) {
        return expires.isPresent() && !expires.get().isAfter(now);
    }

    /** The same pin with other blocks. */
    Pin of(BlockSet others) {
        return new Pin(path, created, expires, drops, others);
    }
}
