package volsh.ship;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import volsh.block.BlockStore;
import volsh.engine.KeyFacts;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;

/**
 * Ships the metadata of an open volume to the store. What is shipped survives the loss of this host: {@link Restore}
 * restores it elsewhere. Thread-safe; of several processes that have the volume open, any may ship for all.
 */
public final class Shipping {
    private static final long PAUSE_MILLIS = 20;
    private static final long LOOK_BYTES = 1 << 20;

    private final ShippingLog log;
    private final Shipper shipper;
    private final BaseWriter bases;
    private final ShippedNames place;
    private final InstantSource clock;
    private final ShippingTurn turn;
    private final Sizes sizes;
    private final ShipperLiveness.Sign sign;

    /** {@code engine} is the one below the {@link RecordingEngine}, {@code store} the volume's part of its store. */
    public Shipping(Identity identity, MetaEngine engine, BlockStore store, InstantSource clock, ShippingTurn turn) {
        this(identity, engine, store, clock, turn, Sizes.STANDARD);
    }

    Shipping(Identity identity, MetaEngine engine, BlockStore store, InstantSource clock, ShippingTurn turn,
            Sizes sizes) {
        this.place = new ShippedNames(store);
        this.log = new ShippingLog(engine);
        this.shipper = new Shipper(identity, engine, place, clock, sizes);
        this.bases = new BaseWriter(identity, engine, place, shipper, clock, sizes);
        this.clock = clock;
        this.turn = turn;
        this.sizes = sizes;
        this.sign = new ShipperLiveness.Sign(place, identity.host(), clock);
    }

    /**
     * The progress of shipping.
     *
     * @param epoch     how often the volume was taken over by another host
     * @param shipped   the number of the last change in the store
     * @param unshipped how many changes are committed here but not in the store
     * @param bytes     their length
     * @param oldest    when the first of them was committed
     * @param time      when something was last shipped
     * @param fence     which host has the volume now, if it is no longer this one
     */
    public record Status(long epoch, long shipped, long unshipped, long bytes, Optional<Instant> oldest,
            Optional<Instant> time, Optional<Fence> fence) {}

    /** Whether this volume ships its metadata. If not, everything below does nothing. */
    public boolean isOn() throws IOException {
        return log.counter().on();
    }

    /** Empty for a volume that does not ship. */
    public Optional<Status> status() throws IOException {
        return status(log);
    }

    /** Like {@link #status()}, from the metadata alone. */
    public static Optional<Status> status(MetaEngine engine) throws IOException {
        return status(new ShippingLog(engine));
    }

    private static Optional<Status> status(ShippingLog log) throws IOException {
        if (!log.counter().on()) {
            return Optional.empty();
        }
        var now = log.now();
        var state = now.state();
        return Optional.of(new Status(state.epoch(), state.shipped(),
                now.unshipped(), now.counter().bytes() - state.shippedBytes(),
                log.oldest(), Optional.of(state.time()).filter(time -> !time.equals(Instant.EPOCH)), state.fence()));
    }

    /** How many committed changes the store does not have. */
    public long unshipped() throws IOException {
        return isOn() ? log.now().unshipped() : 0;
    }

    /** Whether everything committed so far could be restored from the store. */
    public boolean isShipped() throws IOException {
        if (!isOn()) {
            return false;
        }
        var now = log.now();
        return now.unshipped() == 0 && now.state().base() != ShipState.NO_BASE;
    }

    /** Whether an unshipped change touches the attributes, bytes or link target of this inode. */
    public boolean touches(long ino) throws IOException {
        return touches(ino, Set.of());
    }

    /** Like {@link #touches(long)}, or the placement of one of these blocks. */
    public boolean touches(long ino, Set<Long> blocks) throws IOException {
        if (!isOn()) {
            return false;
        }
        while (true) {
            long shipped = log.state().shipped();
            try {
                return touches(OptionalLong.of(ino), blocks, shipped + 1);
            } catch (MetaDamagedException missing) {
                if (log.state().shipped() == shipped) {
                    throw missing;
                }
            }
        }
    }

    private boolean touches(OptionalLong wanted, Set<Long> blocks, long first) throws IOException {
        long next = first;
        for (var some = log.from(next, LOOK_BYTES); !some.isEmpty(); some = log.from(next, LOOK_BYTES)) {
            for (var change : some) {
                for (var write : WriteSet.parse(change.set()).writes()) {
                    var placed = KeyFacts.placedBlock(write.key());
                    if (KeyFacts.inode(write.key()).equals(wanted)
                            || placed.isPresent() && blocks.contains(placed.getAsLong())) {
                        return true;
                    }
                }
            }
            next = some.getLast().number() + 1;
        }
        return false;
    }

    /**
     * Returns when everything committed before the call is in the store, shipped by this process or another. Does
     * nothing for a volume that does not ship.
     *
     * @throws AttachedElsewhereException if another host has the volume now
     */
    public void ship() throws IOException {
        if (!isOn()) {
            return;
        }
        long wanted = log.counter().last();
        while (!isThere(wanted)) {
            inTurn(this::work);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Runs the step, or waits a moment because another process has the turn. Returns whether it ran. */
    private boolean inTurn(Step step) throws IOException {
        var held = turn.take();
        if (held.isEmpty()) {
            pause();
            return false;
        }
        try (var _ = held.get()) {
            step.run();
            return true;
        }
    }

    private boolean isThere(long wanted) throws IOException {
        var state = log.state();
        if (state.fence().isPresent()) {
            throw new AttachedElsewhereException(state.fence().get());
        }
        return state.shipped() >= wanted && !state.wantsBase(sizes) || !isOn();
    }

    private void work() throws IOException {
        shipper.shipLogs();
        if (log.state().wantsBase(sizes)) {
            bases.run();
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for another process that ships the metadata");
        }
    }

    /** To be called every few seconds by a long-running process: ships, and renews the liveness marker. */
    public void tend() throws IOException {
        if (isOn()) {
            ship();
            if (sign.renew()) {
                shipper.look();
            }
        }
    }

    /** Removes the marker of {@link #tend}. */
    public void leave() throws IOException {
        sign.remove();
    }

    /**
     * Starts shipping, beginning with all existing metadata. Engines that were opened before have to be refreshed.
     *
     * @throws volsh.fs.FsException BUSY if the volume is open elsewhere
     * @throws volsh.block.RefusedException if the store cannot separate two hosts
     */
    public void switchOn() throws IOException {
        place.requireDecisive();
        log.switchOn(UUID.randomUUID(), clock.instant());
        ship();
    }

    /** Stops shipping. Removes what was shipped first: outdated, it could be taken for the volume. */
    public void switchOff() throws IOException {
        while (isOn() && !inTurn(this::stop)) {
            // until it is our turn
        }
    }

    private void stop() throws IOException {
        shipper.look();
        log.advance(log.state(), ShipState::withoutBase);
        Shipments.remove(place.store());
        log.switchOff();
    }

    /** @throws AttachedElsewhereException if another host has the volume, according to the store */
    public void requireMine() throws IOException {
        if (isOn()) {
            shipper.look();
        }
    }
}
