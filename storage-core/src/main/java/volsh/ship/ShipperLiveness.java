package volsh.ship;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;

/**
 * A marker in the store that a process has the volume open for writing: an object that is put again now and then, and
 * removed at the end. It decides nothing; it warns users before they take over a volume that is in use.
 *
 * @param host  its host
 * @param pid   its process
 * @param time  when the marker was last renewed
 */
public record ShipperLiveness(String host, long pid, Instant time) {
    /** A process that has not renewed it for this long is presumed dead. */
    public static final Duration SILENCE = Duration.ofSeconds(60);

    static final Duration EVERY = Duration.ofSeconds(20);

    /** The newest marker of each process, including expired ones. */
    public static List<ShipperLiveness> in(BlockStore store) throws IOException {
        var place = new ShippedNames(store);
        return place.list(ShippedNames.ALIVE).stream().map(listed -> read(place, listed)).flatMap(Optional::stream)
                .toList();
    }

    private static Optional<ShipperLiveness> read(ShippedNames place, BlockStore.Listed listed) {
        try {
            var lines = new String(place.read(listed.key()), StandardCharsets.UTF_8).lines().toList();
            return Optional.of(new ShipperLiveness(lines.get(0), Long.parseLong(lines.get(1)), listed.modified()));
        } catch (IOException | RuntimeException goneOrNonsense) {
            return Optional.empty();
        }
    }

    /** Maintains the marker of one process. */
    static final class Sign {
        private final ShippedNames place;
        private final String host;
        private final InstantSource clock;
        private Instant last = Instant.EPOCH;
        private @Nullable BlockKey key;

        Sign(ShippedNames place, String host, InstantSource clock) {
            this.place = place;
            this.host = host;
            this.clock = clock;
        }

        /** Returns whether it was due. */
        synchronized boolean renew() throws IOException {
            var now = clock.instant();
            if (now.isBefore(last.plus(EVERY))) {
                return false;
            }
            long pid = ProcessHandle.current().pid();
            var next = new BlockKey("%s%s-%d".formatted(ShippedNames.ALIVE, ShippedNames.hex(now.toEpochMilli()), pid));
            place.put(next, "%s\n%d\n".formatted(host, pid).getBytes(StandardCharsets.UTF_8));
            remove();
            last = now;
            key = next;
            return true;
        }

        synchronized void remove() throws IOException {
            if (key != null) {
                place.delete(List.of(key));
                key = null;
            }
        }
    }
}
