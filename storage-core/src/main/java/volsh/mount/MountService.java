package volsh.mount;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import volsh.assembly.CacheDisks;
import volsh.block.Call;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.disk.Disk;
import volsh.disk.OsDisk;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.OtherWriters;
import volsh.fs.Unwritten;
import volsh.fuse.BackingFiles;
import volsh.fuse.Mount;
import volsh.fuse.MountFlag;
import volsh.fuse.MountOptions;
import volsh.mount.MountRequest.*;
import volsh.unit.ByteSize;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;
import volsh.warm.WholeFiles;

/** One mount, served by this process until it ends. */
public final class MountService implements ServedMountProcess {
    private static final Logger LOG = System.getLogger("volsh.mount");

    private static final int THREADS = 12;

    private final MountSpec spec;
    private final Volume volume;
    private final Mount mount;
    private final CacheRequests cache;
    private final Optional<WholeFiles> copies;
    private final CacheExpiry expiry;
    private final CheckpointRequests checkpoints;
    private final TraceRequests trace;
    private final RegisteredMount registered;
    private final BackgroundRun shipment;
    private final BackgroundRun flush;
    private final BackgroundRun gathered;
    private final MountWatch watch;
    private boolean closed;
    private volatile Optional<MountStats.Unshipped> unshipped = Optional.empty();

    private MountService(MountSpec spec, Registry registry, Volumes volumes, Volume volume, InstantSource clock,
            EventLog events) throws IOException {
        this.spec = spec;
        this.volume = volume;
        this.shipment = new BackgroundRun("shipment", () -> volume.shipping().ship());
        this.flush = new BackgroundRun("flush", volume::sync);
        this.gathered = new BackgroundRun("gathered", volume::writeOut);
        var root = volume.paths().resolve(spec.source().path());
        if (!root.isDirectory()) {
            throw new Refusal(Refusal.Reason.INVALID, "%s is not a directory".formatted(spec.source()));
        }
        var options = new MountOptions(
                spec.mountPoint(), spec.label(), root.ino(), spec.flags(), spec.appearance(), spec.attributesKept(),
                spec.namesKept(), THREADS);
        var transport = spec.transport().resolved();
        this.copies = spec.has(MountFlag.CACHE_EXPAND) ? Optional.of(copies(spec, volume)) : Optional.empty();
        this.mount = transport.start(volume.vfs(), options, new MountSpace(volumes, volume), clock,
                spec.keepsByDefault() ? volume.otherWriters() : OtherWriters.UNKNOWN,
                copies.<BackingFiles>map(each -> each).orElse(BackingFiles.NONE));
        this.trace = new TraceRequests(mount.stats(), transport);
        this.cache = new CacheRequests(volume, clock);
        this.checkpoints = new CheckpointRequests(spec.source(), spec.mountPoint(), volume, clock);
        this.expiry = new CacheExpiry(volume, clock);
        this.registered = new RegisteredMount(mount, spec, registry, this::answer, clock.instant(), events);
        this.watch = new MountWatch(volumes, volume, spec, events, mount.stats());
    }

    /** Whole copies of files take at most half of the first cache directory, the rest is left for blocks. */
    private static WholeFiles copies(MountSpec spec, Volume volume) throws IOException {
        if (spec.transport().resolved() != Transport.KERNEL) {
            throw new Refusal(Refusal.Reason.INVALID, "--cache-expand needs --transport kernel");
        }
        if (volume.caches().directories().isEmpty()) {
            throw new Refusal(Refusal.Reason.INVALID, "--cache-expand needs --cache-dir");
        }
        if (volume.spec().encryption().isOn()) {
            throw new Refusal(Refusal.Reason.INVALID, "--cache-expand keeps files in clear on the local disk, and "
                    + spec.source().volume() + " is encrypted");
        }
        var place = volume.caches().directories().getFirst();
        long half = place.quotaBytes() / 2;
        volume.caches().requests().resize(Disk.directoryOf(place.directory()), place.quotaBytes() - half);
        var held = new OsDisk().hold(place.directory());
        return new WholeFiles(volume.vfs(), volume.caches(), held, place.directory(), half,
                bytes -> CacheDisks.fits(place.directory(), bytes), spec.source().moment().isPresent());
    }

    static MountService start(MountSpec spec, Registry registry, Volumes volumes, InstantSource clock, EventLog events)
            throws IOException {
        registry.prepare();
        requireUncovered(spec.mountPoint(), spec.directories());
        var purpose = "mount " + spec.mountPoint();
        var name = spec.source().volume();
        if (spec.source().moment().isPresent() || spec.has(MountFlag.READ_ONLY)) {
            volumes.stores().requireAny(name);   // writers check this anyway
        }
        var volume = spec.source().moment().isPresent()
                ? volumes.open(OpeningRequest.past(name, spec.source().moment().get(), purpose).dated(clock)
                        .cached(spec.caching()))
                : volumes.open(OpeningRequest.of(name, access(spec), purpose).dated(clock)
                        .cached(spec.caching()).lasting(spec.writeback()));
        try {
            boolean shared = volumes.database(volume.spec()).isPresent();
            if (spec.source().moment().isEmpty() && !spec.has(MountFlag.READ_ONLY)) {
                volume.collectInBackground();
                volume.packInBackground();
                if (!shared) {
                    volume.gatherInBackground();
                }
            }
            volume.comeBack(revived -> MountWatch.cameBack(volume, spec, events, revived));
            return new MountService(shared ? spec.sharedByMachines() : spec, registry, volumes, volume, clock, events);
        } catch (IOException | RuntimeException failed) {
            try {
                volume.close();
            } catch (IOException second) {
                failed.addSuppressed(second);
            }
            throw failed;
        }
    }

    /** Also checks symbolic links: a cache or journal below its own mount would wait for itself. */
    static void requireUncovered(Path mountPoint, List<Path> directories) throws IOException {
        var covered = mountPoint.toRealPath();
        for (var directory : directories) {
            var place = directory;
            while (!Files.exists(place) && place.getParent() != null) {
                place = place.getParent();
            }
            if (place.toRealPath().startsWith(covered)) {
                throw new Refusal(Refusal.Reason.INVALID,
                        "the directory %s would be hidden by the mount on %s: choose a directory outside of it"
                                .formatted(directory, mountPoint));
            }
        }
    }

    private static Access access(MountSpec spec) {
        return spec.has(MountFlag.READ_ONLY) ? Access.READ : spec.alone() ? Access.WRITE_ALONE : Access.WRITE;
    }

    // No default: a new request must not compile until it is answered.
    private List<String> answer(MountRequest<?> request) throws IOException {
        return switch (request) {
            case PingRequest _, VersionRequest _ -> List.of();
            case StatsRequest r -> r.lines(stats());
            case TroublesRequest r -> r.lines(watch.tellTroubles());
            case UnwrittenRequest r -> r.lines(volume.pending().stream().map(UnwrittenFile::of).toList());
            case DirtyRequest r -> r.lines(volume.vfs().unwritten().has(r.ino()));
            case OpenRequest r -> r.lines(volume.vfs().openFiles().contains(r.ino()));
            case StoreRequest r -> r.lines(store(r.longest()));
            case GatherRequest r -> r.lines(storeGathered(r.longest()));
            case FlushRequest r -> done(r, volume::sync);
            case ReleaseRequest r -> done(r, volume::release);
            case RecountRequest r -> done(r, volume.caches()::recount);
            case UnmountRequest r -> done(r, () -> unmount(r));
            case JobRequest r -> r.lines(cache.start(r.wish()));
            case JobStatusRequest r -> r.lines(cache.status(r.number()));
            case JobsRequest r -> r.lines(cache.running());
            case CancelRequest r -> done(r, () -> cache.cancel(r.number()));
            case PrefetchRequest r -> r.lines(cache.prefetch(r.ahead()));
            case NamesRequest r -> r.lines(cache.add(r.number(), r.names()));
            case CompleteRequest r -> done(r, () -> cache.complete(r.number()));
            case EpochsRequest r -> r.lines(volume.caches().epochs());
            case UnpinRequest r -> r.lines(volume.caches().requests().unpin(r.path()));
            case ResizeRequest r -> done(r, () -> cache.resize(r.directory(), r.quotaBytes()));
            case TraceStartRequest r -> r.lines(trace.start(r.capacity()));
            case TraceTakeRequest r -> r.lines(trace.take(r.number()));
            case TraceStopRequest r -> r.lines(trace.stop(r.number()));
            case CheckpointSaveRequest r -> r.lines(checkpoints.save(r.run(), r.step(), r.path(), r.options()));
            case CheckpointStatusRequest r -> r.lines(checkpoints.statuses());
            case CheckpointWaitRequest r -> r.lines(checkpoints.await(r.longest(), r.run()));
        };
    }

    private static List<String> done(Order order, Call.Action action) throws IOException {
        action.run();
        return order.lines(null);
    }

    private void unmount(UnmountRequest how) throws IOException {
        registered.unmount(how.isLazy());
        detach();
        volume.waitNoLonger();
        if (how.discards()) {
            discard();
        }
    }

    /** Stores everything and ships the metadata; returns how many bytes are left. */
    private long store(Duration longest) throws IOException {
        if (spec.has(MountFlag.READ_ONLY)) {
            return 0;
        }
        long end = System.nanoTime() + longest.toNanos();
        flush(longest);
        boolean stored = volume.drain(left(end));
        try {
            shipment.await(left(end));
        } catch (IOException away) {
            LOG.log(Level.WARNING, "shipping the metadata failed; will retry: " + away.getMessage());
        }
        return stored ? 0 : volume.staged().bytes();
    }

    private long storeGathered(Duration longest) throws IOException {
        return spec.has(MountFlag.READ_ONLY) || gathered.await(longest) ? 0
                : Math.max(1, volume.vfs().packing().gathered().bytes());
    }

    private static Duration left(long end) {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** Writes everything out. */
    private void flush(Duration longest) throws Refusal {
        flush.require(longest, () -> "%s are not written out".formatted(
                new ByteSize(volume.vfs().unwritten().files().stream().mapToLong(Unwritten::bytes).sum())));
    }

    private void detach() {
        registered.detach();
        watch.detached();
    }

    /** Drops what only this process has, and ends. */
    private void discard() {
        var lost = volume.pending();
        volume.discard();
        registered.giveUp();
        if (!lost.isEmpty()) {
            registered.report(Happening.Level.WARNING,
                    "discarded by 'umount --discard': " + UnwrittenFile.told(lost));
        }
    }

    /** The last known state if the metadata is unavailable: the mount's troubles report that. */
    private Optional<MountStats.Unshipped> unshipped() {
        try {
            unshipped = volume.shippingStatus()
                    .map(status -> new MountStats.Unshipped(status.unshipped(), status.bytes(), status.oldest()));
        } catch (IOException away) {
            LOG.log(Level.DEBUG, "cannot determine how much of the metadata is not shipped", away);
        }
        return unshipped;
    }

    private MountStats stats() {
        var done = mount.stats();
        var files = volume.vfs();
        var caches = volume.caches();
        var hedges = volume.hedges();
        var repeats = new MountStats.Repeats(caches.rereads(), hedges.hedges(), hedges.won());
        return new MountStats(
                done.readBytes(), done.writtenBytes(), MountStats.Buffered.of(files.unwritten().files()),
                volume.traffic(), repeats, caches.completed(), volume.staged(), unshipped(), caches.memory(),
                caches.directories(), done.rows(), caches.decodeNanos(), volume.metadataCounts(),
                new MountStats.Background(volume.reclaimable(), volume.failingTasks()), new MountStats.Opened(
                files.openFiles().opened(), files.openFiles().openedBytes()), volume.storeLatencies(),
                copies.map(WholeFiles::usage).orElse(WholeFiles.Usage.NONE));
    }

    @Override
    public void serve() throws IOException, InterruptedException {
        mount.await();
        synchronized (this) {
            if (closed) {
                return;
            }
            detach();
        }
        try {
            mount.close();
        } catch (IOException failed) {
            // its bytes stay with the volume, which reports the failure
        }
        registered.writeOut(() -> !volume.vfs().unwritten().files().isEmpty(), volume::sync);
        close();
    }

    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        registered.giveUp();
        watch.close();
        try (volume) {
            expiry.close();
            cache.close();
            mount.close();
            copies.ifPresent(WholeFiles::close);
            checkpoints.close();
        } catch (IOException | RuntimeException failed) {
            var lost = volume.vfs().unwritten().files().isEmpty() ? ""
                    : "; lost: " + UnwrittenFile.told(volume.pending());
            registered.report(Happening.Level.ERROR, "writing out failed: " + failed.getMessage() + lost);
            throw failed;
        } finally {
            registered.close();
        }
    }
}
