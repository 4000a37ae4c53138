package volsh.ship;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.block.BlockStore;
import volsh.block.NoSuchBlockException;
import volsh.engine.MetaEngine;
import volsh.inventory.Takeover;
import volsh.ship.WriteSet.Write;

/**
 * Restores the metadata of a volume from what was shipped: first the base, then the logs after it, each of which must
 * follow the previous one. Anything missing or damaged is an error that names it: an older state is never taken for the
 * newest. At last {@link #takeOver} closes the log for all others and makes the copy writable.
 *
 * <p>Used once, by one thread, on an engine without rows.
 */
public final class Restore {
    private static final int WRITES = 500;

    private final ShippedNames place;
    private final UUID volume;
    private final MetaEngine engine;
    private final LongConsumer progress;
    private final Pages pages = new Pages();
    private long base;   // the change after which the base was written
    private long baseBytes;
    private long last;
    private byte[] digest = {};
    private long epoch;
    private long logBytes;
    private @Nullable LogContent newest;   // null if the base was not followed by a log

    /** {@code progress} regularly receives the number of bytes read. */
    public Restore(BlockStore store, UUID volume, MetaEngine engine, LongConsumer progress) {
        this.place = new ShippedNames(store);
        this.volume = volume;
        this.engine = engine;
        this.progress = progress;
    }

    /**
     * Restores the state as far as it was shipped. Changes nothing in the store.
     *
     * @throws MovedOnException if the volume is shipped meanwhile, and what was being read was removed
     * @throws DamagedShipmentException if something is missing or damaged
     */
    public void run() throws IOException {
        var key = Shipments.newestBase(place)
                .orElseThrow(() ->
                        new DamagedShipmentException("the store contains no shipped metadata of this volume"));
        unlessMovedOn(key, () -> readAll(key));
    }

    private interface Step {
        void run() throws IOException;
    }

    /** A missing or changed object may mean that a newer base has been shipped. */
    private void unlessMovedOn(BlockKey key, Step step) throws IOException {
        try {
            step.run();
        } catch (DamagedShipmentException | NoSuchBlockException trouble) {
            throw Shipments.newestBase(place).equals(Optional.of(key)) ? trouble : new MovedOnException(trouble);
        }
    }

    private void readAll(BlockKey key) throws IOException {
        long needed = readBase(key);
        readLogs();
        if (last < needed) {
            throw new DamagedShipmentException(ShippedNames.log(last + 1),
                    "it is missing: the base needs changes up to %d, but the store has them only up to %d"
                            .formatted(needed, last));
        }
    }

    /** Returns the last change that it needs. */
    private long readBase(BlockKey key) throws IOException {
        var found = ShippedObject.open(key, place.read(key), ShippedObject.Kind.BASE, volume);
        var content = BaseContent.parse(key, found);
        if (found.first() != ShippedNames.number(key)) {
            throw new DamagedShipmentException(key, "it is another base, after change " + found.first());
        }
        base = found.first();
        baseBytes = content.storedBytes();
        last = base;
        digest = found.previous();
        epoch = found.epoch();
        for (int i = 0; i < content.parts().size(); i++) {
            readPart(content, i);
        }
        return found.last();
    }

    private void readPart(BaseContent content, int number) throws IOException {
        var key = ShippedNames.part(base, content.attempt(), number);
        byte[] bytes = read(key);
        var part = ShippedObject.open(key, bytes, ShippedObject.Kind.PART, volume);
        if (!Arrays.equals(new ShippedObject.Sealed(bytes).digest(), content.parts().get(number))) {
            throw new DamagedShipmentException(key, "it is not the part that the base names");
        }
        for (var page : Pages.of(key, part)) {
            pages.add(page);
            engine.transact(tx -> {
                for (var row : page.rows()) {
                    tx.put(row.key(), row.value());
                }
                return null;
            });
        }
    }

    private byte[] read(BlockKey key) throws IOException {
        try {
            byte[] bytes = place.read(key);
            progress.accept(bytes.length);
            return bytes;
        } catch (NoSuchBlockException missing) {
            throw new DamagedShipmentException(key, "it is missing");
        }
    }

    /** Replays the existing logs. */
    private void readLogs() throws IOException {
        for (var next = nextLog(); next.isPresent(); next = nextLog()) {
            replay(ShippedNames.log(last + 1), next.get());
        }
    }

    private Optional<byte[]> nextLog() throws IOException {
        var key = ShippedNames.log(last + 1);
        var found = readIfThere(key);
        var later = found.isPresent() ? Optional.<BlockKey>empty() : later();
        if (later.isEmpty()) {
            return found;
        }
        found = readIfThere(key);   // it may have been put meanwhile, followed by the later one
        if (found.isEmpty()) {
            // What follows a missing log cannot be used, and its changes must not be dropped silently.
            throw new DamagedShipmentException(key,
                    "it is missing: the store has changes up to %d, and %s after it, which cannot be used without it"
                            .formatted(last, later.get()));
        }
        return found;
    }

    private Optional<byte[]> readIfThere(BlockKey key) throws IOException {
        try {
            return Optional.of(place.read(key));
        } catch (NoSuchBlockException none) {
            return Optional.empty();
        }
    }

    /** A log after the next one. */
    private Optional<BlockKey> later() throws IOException {
        return place.list(ShippedNames.LOGS).stream().map(BlockStore.Listed::key)
                .filter(key -> key.compareTo(ShippedNames.log(last + 1)) > 0).findFirst();
    }

    private void replay(BlockKey key, byte[] bytes) throws IOException {
        try {
            var log = ShippedObject.open(key, bytes, ShippedObject.Kind.LOG, volume);
            if (log.first() != last + 1 || !Arrays.equals(log.previous(), digest) || log.epoch() < epoch) {
                throw new DamagedShipmentException(key, "it does not follow the previous log");
            }
            var content = LogContent.parse(key, log);
            apply(log.first(), content.sets());
            progress.accept(bytes.length);
            last = log.last();
            digest = new ShippedObject.Sealed(bytes).digest();
            epoch = log.epoch();
            logBytes += bytes.length;
            newest = content;
        } catch (DamagedShipmentException damaged) {
            throw new DamagedShipmentException("%s; changes up to %d are readable".formatted(damaged.getMessage(),
                    last));
        }
    }

    private void apply(long first, List<byte[]> sets) throws IOException {
        var writes = new ArrayList<Write>();
        for (int i = 0; i < sets.size(); i++) {
            for (var write : WriteSet.parse(sets.get(i)).writes()) {
                if (first + i > pages.change(write.key())) {
                    writes.add(write);
                }
            }
        }
        for (int from = 0; from < writes.size(); from += WRITES) {
            var some = writes.subList(from, Math.min(writes.size(), from + WRITES));
            engine.transact(tx -> {
                for (var write : some) {
                    write.applyTo(tx);
                }
                return null;
            });
        }
    }

    /** The last change restored. */
    public long last() {
        return last;
    }

    /** Whether destruction of the volume had begun: then some of its blocks are gone. */
    public boolean isRetired() throws IOException {
        return engine.read(Takeover::isRetired);
    }

    /**
     * Closes the log for all others, by the next change in it: from then on the volume belongs to this copy. If the log
     * has grown meanwhile, that is restored first.
     *
     * @param about the new description of the volume
     * @throws AttachedElsewhereException if another host took it over meanwhile
     * @throws MovedOnException like {@link #run}
     */
    public void takeOver(Identity identity, byte[] about, InstantSource clock) throws IOException {
        long seen = epoch;
        var copy = UUID.randomUUID();
        while (true) {
            unlessMovedOn(ShippedNames.base(base), this::readLogs);
            if (epoch != seen) {
                var other = Objects.requireNonNull(newest);   // a log raised the epoch
                throw new AttachedElsewhereException(new Fence(other.host(), other.time(), epoch));
            }
            byte[] set = change(identity, about, clock).toBytes();
            var content = new LogContent(identity.host(), clock.instant(), about, List.of(set));
            var sealed = new ShippedObject(ShippedObject.Kind.LOG, volume, copy, epoch + 1, last + 1, last + 1, digest,
                    content.toBytes()).seal();
            if (place.putIfAbsent(ShippedNames.log(last + 1), sealed.bytes())) {
                apply(last + 1, List.of(set));
                comeAlive(copy, sealed, clock);
                return;
            }
        }
    }

    private WriteSet change(Identity identity, byte[] about, InstantSource clock) throws IOException {
        var writes = new ArrayList<Write>();
        writes.add(new Write.Put(identity.about(), about));
        for (var row : engine.read(tx -> Takeover.rows(tx, clock.instant()))) {
            writes.add(new Write.Put(row.key(), row.value()));
        }
        return new WriteSet(clock.instant(), writes);
    }

    private void comeAlive(UUID copy, ShippedObject.Sealed sealed, InstantSource clock) throws IOException {
        var counter = new Counter(true, false, false, last + 1, 0);
        var state = new ShipState(copy, epoch + 1, last + 1, 0, sealed.digest(), base,
                baseBytes, logBytes + sealed.bytes().length, clock.instant(), Optional.empty());
        engine.transact(tx -> {
            tx.put(LogKeys.COUNTER, counter.toBytes());
            tx.put(LogKeys.STATE, state.toBytes());
            return null;
        });
        engine.sync();
    }
}
