package volsh.volume;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import volsh.assembly.BackgroundTasks;
import volsh.assembly.OngoingFailure;
import volsh.assembly.PlacedBlocks;
import volsh.assembly.PlacedParts;
import volsh.block.Counted.Traffic;
import volsh.block.Counted;
import volsh.block.Hedged;
import volsh.block.Pause;
import volsh.care.AutoGc;
import volsh.care.AutoPacking;
import volsh.care.GatherTimer;
import volsh.care.Garbage;
import volsh.care.GarbageCollection;
import volsh.care.Housekeeping;
import volsh.care.SessionLease;
import volsh.care.SessionRevival;
import volsh.catalog.Access;
import volsh.catalog.CacheLifetime;
import volsh.catalog.ClockJump;
import volsh.catalog.Uptime;
import volsh.catalog.VolumeSpec;
import volsh.chunk.Caches;
import volsh.engine.MetaEngine;
import volsh.engine.RequestClock;
import volsh.fs.FsException;
import volsh.fs.OtherWriters;
import volsh.fs.Unwritten;
import volsh.history.Trees;
import volsh.history.Versions;
import volsh.inventory.GcTurns;
import volsh.inventory.Strays;
import volsh.inventory.VolumeUsage;
import volsh.journal.StagingStatus;
import volsh.meta.InodePaths;
import volsh.meta.Namespace;
import volsh.meta.Quotas;
import volsh.pack.PackCompaction;
import volsh.pack.PackedStore;
import volsh.ship.Shipping;
import volsh.upkeep.CrowdedExtents;
import volsh.upkeep.Statistics;
import volsh.upkeep.Watcher;
import volsh.vfs.PackingListener;
import volsh.vfs.PackingReport;
import volsh.vfs.PackingRules;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;
import volsh.writeback.VolumeJournals;

/** An open volume. Close it: it flushes what was written, and gives back deleted blocks for a moment. */
public final class Volume implements AutoCloseable {
    private final VolumeSpec spec;
    private final OpenMetadata metadata;
    private final OpenStores stores;
    private final Vfs vfs;
    private final Caches caches;
    private final VolumeCare care;
    private final ClosingStack closing;
    private final MetaEngine engine;
    private final InstantSource clock;
    private final Quotas quotas;
    private volatile Optional<AutoGc> autoGc = Optional.empty();

    /** {@code closing} closes all parts; see {@link VolumeOpening}. */
    Volume(VolumeSpec spec, OpenMetadata metadata, OpenStores stores, Vfs vfs, Caches caches, VolumeCare care,
            ClosingStack closing) {
        this.spec = spec;
        this.metadata = metadata;
        this.stores = stores;
        this.vfs = vfs;
        this.caches = caches;
        this.care = care;
        this.closing = closing;
        this.engine = metadata.engine();
        this.clock = metadata.clock();
        this.quotas = metadata.quotas();
    }

    /** Where its blocks are; empty if it has one store and nothing to say of it. */
    public Optional<PlacedBlocks> spot() {
        return stores.placed();
    }

    /** What the database of the metadata was asked to commit, and how often once more. */
    public MetaEngine.Counts metadataCounts() {
        return engine.counts();
    }

    /** Other processes that may write to it while this one does. */
    public OtherWriters otherWriters() {
        return metadata.others();
    }

    Namespace names() {
        return metadata.names();
    }

    MetaEngine engine() {
        return engine;
    }

    public VolumeSpec spec() {
        return spec;
    }

    public Vfs vfs() {
        return vfs;
    }

    /** Its caches, to manage and to measure them. */
    public Caches caches() {
        return caches;
    }

    public Paths paths() {
        return new Paths(vfs);
    }

    /** What a compaction did. */
    public record Compacted(long parts, long blocks, long bytes) {}

    /** How fast a compaction may go: told of bytes that were stored again, it waits as long as it wants to. */
    public interface Pace {
        void stored(long bytes) throws IOException;
    }

    /** Merges extents where {@code most} or more touch each other in a part of a file. Run again, it continues. */
    public Compacted compact(int most, Pace pace, Watcher watcher) throws IOException {
        long[] done = new long[3];
        new CrowdedExtents(engine, vfs.merging().span(), most).run((ino, start, bytes) -> {
            int blocks;
            try {
                blocks = vfs.merging().compact(ino, start, most, watcher::cancelled);
            } catch (FsException gone) {
                return;   // removed meanwhile
            }
            done[0]++;
            done[1] += blocks;
            done[2] += blocks == 0 ? 0 : bytes;
            pace.stored(blocks == 0 ? 0 : bytes);
        }, watcher);
        return new Compacted(done[0], done[1], done[2]);
    }

    /** Stores small files together, below this file or directory; see {@link Vfs#packing}. Run again, it continues. */
    public PackingReport pack(long ino, PackingRules rules, Pace pace, Watcher watcher) throws IOException {
        return vfs.packing().pack(ino, true, rules, new PackingListener() {
            @Override
            public void looked(long files) {
                watcher.advanced(files);
            }

            @Override
            public void stored(long bytes) throws IOException {
                pace.stored(bytes);
            }

            @Override
            public boolean stopped() {
                return watcher.cancelled();
            }
        });
    }

    /** Counts what the volume is made of. */
    public Statistics.Result statistics(Watcher watcher) throws IOException {
        return new Statistics(engine).run(watcher);
    }

    /** Limits on what it may hold. Those of a volume that is only read can only be looked at. */
    public Quotas quotas() {
        return quotas;
    }

    public VolumeUsage usage() throws IOException {
        return metadata.superblock().usage();
    }

    /** For how long a request has been waiting for the metadata; makes no request itself. */
    public Duration metadataSilence() {
        return engine.silence();
    }

    /** What leaves cache directories after some time, as it is set now. */
    public List<CacheLifetime> cacheLifetimes() throws IOException {
        return metadata.superblock().setting(CacheLifetime.SETTING, CacheLifetime::parse);
    }

    /** Copies trees out of a past state of this volume. @throws IllegalArgumentException if the source is none of it */
    public SharedCopies copies(Volume source) {
        var past = source.metadata.past().filter(state -> source.spec.id().equals(spec.id()))
                .orElseThrow(() -> new IllegalArgumentException(
                        "not a past state of volume '%s'".formatted(spec.name())));
        care.needed().orElseThrow().hold();
        return new SharedCopies(new Trees(engine, clock, metadata.names()), past);
    }

    /**
     * From now on, if others end the session of this volume, it gets a new one as soon as nothing conflicts, and calls
     * the listener; for volumes that stay open. A sole writer does not come back, as others may have written, nor does
     * a past state, as it was not kept.
     */
    public void comeBack(Consumer<SessionRevival.Revived> listener) throws IOException {
        if (metadata.lease().isEmpty()) {
            return;
        }
        var lease = metadata.lease().get();
        if (metadata.past().isEmpty() && metadata.access() != Access.WRITE_ALONE) {
            lease.comeBack(new SessionRevival(metadata.access(), metadata.engine(), metadata.superblock(),
                    metadata.session(), vfs, listener));
        }
        metadata.session().onEnded(lease::hurry);
    }

    /** What paths have led to over time. */
    public Versions versions() {
        return new Versions(engine, clock);
    }

    /** Collects garbage in the background until this is closed, unless that is switched off. For long-lived writers. */
    public void collectInBackground() {
        engine.keepReserve();
        var collector = new AutoGc(spec.name(), engine, this::collectBeside, clock, new Uptime(),
                metadata.session()::id, care.tasks());
        closing.onClose("gc", collector::close);
        collector.start();
        autoGc = Optional.of(collector);
    }

    /** Stores small files together in the background until this is closed, unless that is switched off. */
    public void packInBackground() {
        var files = new AutoPacking.PackedFiles() {
            @Override
            public Map<Long, Integer> directories(List<Long> inos) throws IOException {
                return vfs.packing().directories(inos);
            }

            @Override
            public PackingReport pack(long directory, PackingListener listener) throws IOException {
                return vfs.packing().pack(directory, false, PackingRules.GENTLE, listener);
            }
        };
        var packing = new AutoPacking(spec.name(), engine, files, clock, Pause.REAL, metadata.session()::id,
                () -> traffic().gets() + traffic().puts(), care.tasks());
        vfs.packing().onSmall(packing::written);
        closing.onClose("packing", packing::close);
        packing.start();
    }

    /**
     * Closes of small files leave their bytes in the metadata for a while, until this is closed. For mounts whose
     * metadata is on this machine; not where no file may be inline, as in encrypted volumes.
     */
    public void gatherInBackground() throws IOException {
        if (spec.inline().bytes() > 0) {
            var gathering = new GatherTimer(vfs.packing(), care.tasks());
            closing.onClose("gathering", gathering::close);
            gathering.start();
        }
    }

    /** How the clock of this machine jumped, if it did: garbage is no longer collected in the background then. */
    public Optional<ClockJump.Jumped> clockJump() {
        return autoGc.flatMap(AutoGc::clockJump);
    }

    private Garbage collectBeside(GcTurns.Turn turn, Duration age, Garbage.Watcher watcher) throws IOException {
        long session = metadata.lease().orElseThrow().session().id();
        return withParts(parts -> new GarbageCollection(engine, stores.lasting(), parts, clock)
                .runBeside(session, turn, age, watcher));
    }

    /** Deletes all that cannot be read any more, see {@link VolumeUpkeep#collect}. */
    public Garbage collect(Duration age, Garbage.Watcher watcher) throws IOException {
        return withParts(parts -> new GarbageCollection(engine, stores.first(), parts, clock)
                .run(metadata.lease().orElseThrow(), care.housekeeping().orElseThrow(), age, watcher));
    }

    private interface Collection {
        Garbage run(Optional<PlacedParts> parts) throws IOException;
    }

    private Garbage withParts(Collection collection) throws IOException {
        if (stores.placed().isEmpty()) {
            return collection.run(Optional.empty());
        }
        try (var parts = new PlacedParts(spec, stores.placed().get(), stores.encryption())) {
            return collection.run(Optional.of(parts));
        }
    }

    /** Tells other sessions which past states this one needs no more, so that what was deleted since can go. */
    public void release() throws IOException {
        if (metadata.lease().isPresent()) {
            metadata.lease().get().renew();
        }
    }

    /** How far the metadata is on its way to the store, and the means to hurry it. */
    public Shipping shipping() {
        return care.shipping();
    }

    /** How far the metadata is shipped; empty if it is not, which does not change while a volume is open. */
    public Optional<Shipping.Status> shippingStatus() throws IOException {
        return metadata.engine().isRecording() ? care.shipping().status() : Optional.empty();
    }

    /** What is committed survives power loss and, if the metadata is shipped, the loss of this host. */
    void settle() throws IOException {
        engine.sync();
        care.shipping().ship();
    }

    PackedStore packed() {
        return stores.packed();
    }

    /** Gives back the space of deleted blocks in packs. Only while this volume is open for writing. */
    public PackCompaction packCompaction() {
        return new PackCompaction(spec.id(), packed().packs(), packed(), this::settle);
    }

    /** A file with bytes that only this process has: its path, unless it has none, and since when. */
    public record Pending(Optional<String> path, long ino, long bytes, Instant since, Optional<Throwable> failure) {}

    /** Which bytes only this process has, the largest first. A path that cannot be found now is left out. */
    public List<Pending> pending() {
        return named(vfs.unwritten().files());
    }

    /** The same of these. */
    public List<Pending> named(List<Unwritten> unwritten) {
        RequestClock.beginLate();
        try {
            return named(unwritten, sessionFailure().isEmpty());
        } finally {
            RequestClock.end();
        }
    }

    /** {@code reachable} says that the metadata answered lately: names are in there. */
    private List<Pending> named(List<Unwritten> unwritten, boolean reachable) {
        var all = new ArrayList<Pending>();
        boolean known = reachable;
        for (var each : unwritten.stream().sorted(Comparator.comparingLong(Unwritten::bytes).reversed()).toList()) {
            Optional<String> path = Optional.empty();
            try {
                path = known ? new InodePaths(engine).path(each.ino()) : path;
            } catch (IOException | RuntimeException silent) {
                known = false;   // the next would wait as long for nothing
            }
            var since = Instant.ofEpochSecond(0, each.since());
            all.add(new Pending(path, each.ino(), each.bytes(), since, each.failure()));
        }
        return all;
    }

    /** Drops the bytes that only this process has, and interrupts transfers under way. Close the volume then. */
    public void discard() {
        vfs.unwritten().discard();
        care.threads().abandon();
    }

    /** Stores what waits in the journal; false if something is left when the time is over. */
    public boolean drain(Duration longest) throws IOException {
        return stores.journals().isEmpty() || stores.journals().get().staging().drain(longest);
    }

    /** Why this session cannot be renewed, and since when; empty if it can. */
    public Optional<OngoingFailure> sessionFailure() {
        return metadata.lease().flatMap(SessionLease::failure);
    }

    /** Everything written so far survives power loss. */
    public void sync() throws IOException {
        vfs.sync();
    }

    /** The same, and no small file that was written here waits in the metadata any more. */
    public void writeOut() throws IOException {
        vfs.sync();
        vfs.packing().storeGathered(PackingListener.NONE);
        vfs.syncNames();
    }

    /** As {@link #sync}; if the metadata is shipped, it is in the store as well: it survives the loss of this host. */
    public void commit() throws IOException {
        sync();
        care.shipping().ship();
    }

    /** What has come from the store and gone to it since this was opened. */
    public Traffic traffic() {
        return stores.counted().traffic();
    }

    /** How long calls of the store took since then. */
    public List<Counted.Latency> storeLatencies() {
        return stores.counted().latencies();
    }

    /** Gets that were late and asked for twice. */
    public Hedged.Counts hedges() {
        return Hedged.countsWithin(stores.first());
    }

    /** What is known to be damaged, and what knows it. */
    public MetDamage damage() {
        return care.damage();
    }

    /** How many bytes of metadata can be written without more space of the disk: {@link MetaEngine#reusableBytes}. */
    public long reusableBytes() throws IOException {
        return engine.reusableBytes();
    }

    /** Which background tasks fail repeatedly. */
    public List<BackgroundTasks.Failing> failingTasks() {
        return care.tasks().failing();
    }

    /** What waited to be reclaimed after the last run here, or a lower bound of it; makes no request. */
    public Strays.Waiting reclaimable() {
        return care.housekeeping().map(Housekeeping::left).orElse(Strays.Waiting.NOTHING);
    }

    /** What is written here and not in the store yet. */
    public StagingStatus staged() {
        return stores.journals().map(journals -> journals.staging().status()).orElse(StagingStatus.NOTHING);
    }

    /** Writes everything out and stores it; false if something is left in the journal when the time is over. */
    public boolean store(Duration longest) throws IOException {
        sync();
        return stores.journals().isEmpty() || stores.journals().get().staging().drain(longest);
    }

    /** How safe a file or a directory's own entry is. Bytes in the memory of other processes are not known here. */
    public Durability durability(long ino) throws IOException {
        return care.durability().of(ino);
    }

    /** Lets {@link #close} leave in the journal what waits there, without storing it first. */
    public void waitNoLonger() {
        stores.journals().ifPresent(VolumeJournals::waitNoLonger);
    }

    /** What is left to do has one deadline; a discarded volume does not wait for metadata that does not answer. */
    @Override
    public void close() throws IOException {
        if (care.threads().isAbandoned()) {
            RequestClock.beginLate();
        } else {
            RequestClock.begin(System.nanoTime());
        }
        try {
            closing.close();
        } finally {
            RequestClock.end();
        }
    }
}
