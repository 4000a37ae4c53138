package volsh.cache;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The pins of one cache directory. All blocks pinned together, each counted once and whether it is cached or not, take at most
 * {@value #SHARE_PERCENT} percent of the quota. A pin that was made under a larger quota and no longer fits waits: it is kept, and has
 * no effect. Thread-safe; whoever changes pins tells the population.
 */
final class Pins {
    static final int SHARE_PERCENT = 75;

    private final Path root;
    private final PinFiles files;
    private List<Pin> all;
    private volatile List<Pin> inForce = List.of();
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
        for (var pin : inForce) {
            if (pin.blocks().contains(block)) {
                return true;
            }
        }
        return false;
    }

    synchronized List<Pin> all() {
        return all;
    }

    /** Bytes of what is pinned, as if all of it were here. */
    long bytes() {
        return bytes(inForce);
    }

    /** Each block counts once. */
    static long bytes(List<Pin> pins) {
        long sum = 0;
        for (int i = 0; i < pins.size(); i++) {
            sum += beyond(pins.get(i).blocks(), pins.subList(0, i));
        }
        return sum;
    }

    private static long beyond(BlockSet blocks, List<Pin> others) {
        return blocks.bytes(block -> others.stream().noneMatch(pin -> pin.blocks().contains(block)));
    }

    /** Puts a pin in the place of the one of the same path. @throws PinTooLargeException */
    synchronized void add(Pin pin, long quota) throws IOException {
        var others = new ArrayList<>(inForce);
        others.removeIf(other -> other.path().equals(pin.path()));
        long pinned = bytes(others);
        long wanted = beyond(pin.blocks(), others);
        if (pinned + wanted > share(quota)) {
            throw new PinTooLargeException(root.getParent(), wanted, pinned, quota);
        }
        files.put(pin);
        replace(pin.path(), List.of(pin), quota);
    }

    /** Removes the pin; false if it is not one of these. */
    synchronized boolean remove(Pin pin, long quota) throws IOException {
        if (!all.contains(pin)) {
            return false;
        }
        files.remove(pin);
        replace(pin.path(), List.of(), quota);
        return true;
    }

    private void replace(String path, List<Pin> with, long quota) {
        var changed = new ArrayList<>(all);
        changed.removeIf(other -> other.path().equals(path));
        changed.addAll(with);
        all = List.copyOf(changed);
        choose(quota);
    }

    /** @throws PinTooLargeException if with this quota not all would fit that do now */
    synchronized void requireFit(long quota) throws PinTooLargeException {
        if (bytes() > share(quota)) {
            throw new PinTooLargeException(root.getParent(), bytes(), 0, quota);
        }
    }

    /** The quota has changed. */
    synchronized void choose(long quota) {
        var chosen = new ArrayList<Pin>();
        long pinned = 0;
        for (var pin : all) {
            long more = beyond(pin.blocks(), chosen);
            if (pinned + more <= share(quota)) {
                chosen.add(pin);
                pinned += more;
            }
        }
        inForce = List.copyOf(chosen);
        nextExpiry = all.stream().flatMap(pin -> pin.expires().stream()).mapToLong(Instant::toEpochMilli).min().orElse(Long.MAX_VALUE);
    }

    /** Cheap: is there something for {@link #expired}? */
    boolean isDue(long nowMillis) {
        return nowMillis >= nextExpiry;
    }

    synchronized List<Pin> expired(Instant now) {
        return all.stream().filter(pin -> pin.isExpired(now)).toList();
    }
}
