package volsh.cache.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import volsh.disk.Disk;

/**
 * The pins of one cache directory. All pinned blocks together, each counted once and whether it is cached or not, take
 * at most {@value #SHARE_PERCENT} percent of the quota. A pin that was made under a larger quota and no longer fits is
 * kept, and has no effect until it fits again. Thread-safe; code that changes pins tells the population.
 */
final class Pins {
    static final int SHARE_PERCENT = 75;

    private final Path root;
    private final PinFiles files;
    private List<Pin> all;
    private List<Pin> inForce = List.of();
    private volatile Set<Long> blocks = Set.of();   // of those in force
    private volatile long bytes;
    private volatile long nextExpiry = Long.MAX_VALUE;

    Pins(Path root, PinFiles files, long quota) throws IOException {
        this.root = root;
        this.files = files;
        this.all = files.load();
        choose(quota);
    }

    static long share(long quota) {
        return quota / 100 * SHARE_PERCENT;
    }

    boolean contains(long block) {
        return blocks.contains(block);
    }

    synchronized List<Pin> all() {
        return all;
    }

    /** The bytes of all pinned blocks, cached or not. */
    long bytes() {
        return bytes;
    }

    /** The bytes of all blocks of these pins, each block counted once. */
    static long bytes(List<Pin> pins) {
        var seen = new HashSet<Long>();
        return pins.stream().mapToLong(pin -> pin.blocks().bytes(seen::add)).sum();
    }

    /** Adds a pin and replaces that of the same path. @throws PinTooLargeException if it does not fit */
    synchronized void add(Pin pin, long quota) throws IOException {
        boolean known = all.stream().anyMatch(other -> other.path().equals(pin.path()));
        var others = known ? without(inForce, pin.path()) : inForce;
        long pinned = known ? bytes(others) : bytes;
        long wanted = known ? bytes(and(others, pin)) - pinned : pin.blocks().bytes(block -> !blocks.contains(block));
        if (pinned + wanted > share(quota)) {
            throw new PinTooLargeException(Disk.directoryOf(root), wanted, pinned, quota);
        }
        files.put(pin);
        all = and(without(all, pin.path()), pin);
        if (known) {
            choose(quota);
        } else {
            inForce = and(inForce, pin);
            pin.blocks().forEach((LongConsumer) blocks::add);
            bytes = pinned + wanted;
            nextExpiry = Math.min(nextExpiry, expiry(pin));
        }
    }

    private static List<Pin> without(List<Pin> pins, String path) {
        return pins.stream().filter(pin -> !pin.path().equals(path)).toList();
    }

    private static List<Pin> and(List<Pin> pins, Pin more) {
        return Stream.concat(pins.stream(), Stream.of(more)).toList();
    }

    /** Removes the pin; false if it is not one of these. */
    synchronized boolean remove(Pin pin, long quota) throws IOException {
        if (!all.contains(pin)) {
            return false;
        }
        files.remove(pin);
        all = without(all, pin.path());
        choose(quota);
        return true;
    }

    /** @throws PinTooLargeException if the pins in effect would not all fit this quota */
    synchronized void requireFit(long quota) throws PinTooLargeException {
        if (bytes() > share(quota)) {
            throw new PinTooLargeException(Disk.directoryOf(root), bytes(), 0, quota);
        }
    }

    /** Chooses the pins in effect under a changed quota. */
    synchronized void choose(long quota) {
        var chosen = new ArrayList<Pin>();
        Set<Long> theirs = ConcurrentHashMap.newKeySet();
        long pinned = 0;
        for (var pin : all) {
            long more = pin.blocks().bytes(block -> !theirs.contains(block));
            if (pinned + more <= share(quota)) {
                chosen.add(pin);
                pin.blocks().forEach((LongConsumer) theirs::add);
                pinned += more;
            }
        }
        inForce = List.copyOf(chosen);
        blocks = theirs;
        bytes = pinned;
        nextExpiry = all.stream().mapToLong(Pins::expiry).min().orElse(Long.MAX_VALUE);
    }

    private static long expiry(Pin pin) {
        return pin.expires().map(Instant::toEpochMilli).orElse(Long.MAX_VALUE);
    }

    /** Whether there may be {@link #expired} pins. Cheap. */
    boolean isDue(long nowMillis) {
        return nowMillis >= nextExpiry;
    }

    synchronized List<Pin> expired(Instant now) {
        return all.stream().filter(pin -> pin.isExpired(now)).toList();
    }
}
