package volsh.ship;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;

/**
 * The shipped metadata of a volume, as seen in the store.
 *
 * @param about the description of the volume
 * @param host  which host shipped last
 * @param time  when
 * @param bytes how much a restore has to read
 */
public record Shipments(byte[] about, String host, Instant time, long bytes) {
    /** Empty if there is not enough to restore. */
    public static Optional<Shipments> of(BlockStore store, UUID volume) throws IOException {
        var place = new ShippedNames(store);
        for (var key = newestBase(place); key.isPresent(); ) {
            try {
                return Optional.of(behind(key.get(), place, volume));
            } catch (NoSuchBlockException gone) {
                var newer = newestBase(place);
                if (newer.equals(key)) {
                    throw gone;
                }
                key = newer;   // the previous one is superseded
            }
        }
        return Optional.empty();
    }

    private static Shipments behind(BlockKey key, ShippedNames place, UUID volume) throws IOException {
        var base = ShippedObject.open(key, place.read(key), ShippedObject.Kind.BASE, volume);
        var content = BaseContent.parse(key, base);
        var logs = place.list(ShippedNames.LOGS).stream()
                .filter(log -> log.key().compareTo(ShippedNames.log(base.first())) > 0).toList();
        long bytes = content.storedBytes() + logs.stream().mapToLong(BlockStore.Listed::size).sum();
        if (logs.isEmpty()) {
            return new Shipments(content.about(), content.host(), content.time(), bytes);
        }
        var last = logs.getLast().key();
        var log = LogContent.parse(last, ShippedObject.open(last, place.read(last), ShippedObject.Kind.LOG, volume));
        return new Shipments(log.about(), log.host(), log.time(), bytes);
    }

    static Optional<BlockKey> newestBase(ShippedNames place) throws IOException {
        var bases = place.list(ShippedNames.BASES);
        return bases.isEmpty() ? Optional.empty() : Optional.of(bases.getLast().key());
    }

    /** Removes everything: bases first, because one without its logs must not be found. */
    public static void remove(BlockStore store) throws IOException {
        var place = new ShippedNames(store);
        for (var prefix : List.of(ShippedNames.BASES, ShippedNames.ALL)) {
            var keys = new ArrayList<BlockKey>();
            place.list(prefix).forEach(listed -> keys.add(listed.key()));
            place.delete(keys);
        }
    }
}
