package volsh.ship;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import volsh.block.NoSuchBlockException;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.ship.ShippingLog.Change;

/**
 * Ships changes to the store, in order: each log is put at the place that follows from the previous one, only if that
 * is free, and is removed here once it is there. If the place is taken, its content decides: our own changes, put by a
 * process that was killed before it could record that, or those of another host that has the volume now.
 *
 * <p>Any number of these may work on one copy: the place lets one of them through, and the others find that the state
 * has advanced.
 */
final class Shipper {
    private final Identity identity;
    private final MetaEngine engine;
    private final ShippingLog log;
    private final ShippedNames place;
    private final InstantSource clock;
    private final Sizes sizes;

    Shipper(Identity identity, MetaEngine engine, ShippedNames place, InstantSource clock, Sizes sizes) {
        this.identity = identity;
        this.engine = engine;
        this.log = new ShippingLog(engine);
        this.place = place;
        this.clock = clock;
        this.sizes = sizes;
    }

    /** Ships everything committed before the call. @throws AttachedElsewhereException if another host has the volume */
    void shipLogs() throws IOException {
        long last = log.counter().last();
        while (log.state().shipped() < last) {
            shipNext();
        }
        requireMine(log.state());
    }

    private void shipNext() throws IOException {
        var state = log.state();
        requireMine(state);
        var changes = next(state);
        if (changes.isEmpty()) {
            return;
        }
        engine.sync();   // the store must never have a change that this host could lose in a power failure
        var parcel = parcel(state, changes);
        var sealed = parcel.seal();
        if (place.putIfAbsent(ShippedNames.log(parcel.first()), sealed.bytes())) {
            accept(state, parcel, bytes(changes), sealed);
        } else {
            settle(state);
        }
    }

    /** The changes to ship next; none if another process has shipped them meanwhile. */
    private List<Change> next(ShipState seen) throws IOException {
        List<Change> changes = List.of();
        var missing = new MetaDamagedException("metadata corrupt: the change log lacks the changes after %d"
                .formatted(seen.shipped()));
        try {
            changes = log.from(seen.shipped() + 1, sizes.log());
        } catch (MetaDamagedException some) {
            missing = some;
        }
        if (changes.isEmpty() && log.state().shipped() == seen.shipped()) {
            throw missing;
        }
        return changes;
    }

    private ShippedObject parcel(ShipState state, List<Change> changes) throws IOException {
        byte[] about = about(engine, identity);
        var content = new LogContent(identity.host(), clock.instant(), about,
                changes.stream().map(Change::set).toList());
        return new ShippedObject(ShippedObject.Kind.LOG, identity.volume(), state.copy(), state.epoch(),
                changes.getFirst().number(), changes.getLast().number(), state.digest(), content.toBytes());
    }

    static byte[] about(MetaEngine engine, Identity identity) throws IOException {
        byte[] about = engine.read(tx -> tx.get(identity.about()));
        return about == null ? new byte[0] : about;
    }

    private static long bytes(List<Change> changes) {
        return changes.stream().mapToLong(change -> change.set().length).sum();
    }

    private void accept(ShipState state, ShippedObject parcel, long setBytes, ShippedObject.Sealed sealed)
            throws IOException {
        if (log.advance(state, current -> current.behind(parcel.last(), setBytes, sealed, clock.instant()))) {
            log.trim(parcel.last());
        }
    }

    /** Another object is where our next log belongs, or was there a moment ago. */
    private void settle(ShipState seen) throws IOException {
        var key = ShippedNames.log(seen.shipped() + 1);
        byte[] bytes;
        try {
            bytes = place.read(key);
        } catch (NoSuchBlockException superseded) {
            return;   // shipped by another process of this host, and no longer needed: the state has advanced
        }
        var found = ShippedObject.open(key, bytes, ShippedObject.Kind.LOG, identity.volume());
        var content = LogContent.parse(key, found);
        if (isOurs(seen, found, content)) {
            long setBytes = content.sets().stream().mapToLong(set -> set.length).sum();
            accept(seen, found, setBytes, new ShippedObject.Sealed(bytes));
        } else {
            // Unless the state has advanced: then another process of this host has put it, and has removed what we
            // compare with.
            log.fence(seen, new Fence(content.host(), content.time(), found.epoch()));
        }
    }

    /** Whether it holds the very changes that are recorded here. */
    private boolean isOurs(ShipState seen, ShippedObject found, LogContent content) throws IOException {
        if (!found.copy().equals(seen.copy()) || !Arrays.equals(found.previous(), seen.digest())) {
            return false;
        }
        var mine = new ArrayList<Change>();
        while (mine.size() < content.sets().size()) {
            var more = recorded(found.first() + mine.size());
            if (more.isEmpty()) {
                return false;
            }
            mine.addAll(more);
        }
        for (int i = 0; i < content.sets().size(); i++) {
            if (!Arrays.equals(mine.get(i).set(), content.sets().get(i))) {
                return false;
            }
        }
        return true;
    }

    private List<Change> recorded(long first) throws IOException {
        try {
            return log.from(first, sizes.log());
        } catch (MetaDamagedException forgotten) {
            return List.of();
        }
    }

    /** Checks whether another host has taken the volume over, also when there is nothing to ship. */
    void look() throws IOException {
        var state = log.state();
        if (state.fence().isEmpty() && place.exists(ShippedNames.log(state.shipped() + 1))) {
            settle(state);
        }
        requireMine(log.state());
    }

    private static void requireMine(ShipState state) throws AttachedElsewhereException {
        if (state.fence().isPresent()) {
            throw new AttachedElsewhereException(state.fence().get());
        }
    }
}
