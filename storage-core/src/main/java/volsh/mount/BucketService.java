package volsh.mount;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import volsh.assembly.CacheDisks;
import volsh.block.Call;
import volsh.block.RetryPolicy;
import volsh.bucket.OpenBuckets;
import volsh.bucketfs.AbandonedUploads;
import volsh.bucketfs.BucketFileSystem;
import volsh.bucketfs.MountedObjects;
import volsh.bucketfs.ObjectWrites.Unstored;
import volsh.bucketfs.UploadLog;
import volsh.cache.MemoryCache;
import volsh.cache.disk.CompletedBlocks;
import volsh.catalog.Refusal;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.ShellWord;
import volsh.fuse.Mount;
import volsh.fuse.MountOptions;
import volsh.fuse.kernel.KernelMount;
import volsh.inventory.Strays;
import volsh.journal.StagingStatus;
import volsh.mount.MountRequest.*;
import volsh.object.ObjectQuery;

/** A bucket mounted without a volume, served by this process until it ends. */
public final class BucketService implements ServedMountProcess {
    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final int THREADS = 12;
    private static final int FRAME = 128 << 10;

    private final BucketSpec spec;
    private final MountedObjects store;
    private final BucketFileSystem files;
    private final Mount mount;
    private final TraceRequests trace;
    private final RegisteredMount registered;
    private final BackgroundRun flush;
    private final BucketWatch watch;
    private boolean closed;

    private BucketService(BucketSpec spec, Registry registry, MountedObjects store, BucketFileSystem files,
            InstantSource clock, EventLog events) throws IOException {
        this.spec = spec;
        this.store = store;
        this.files = files;
        this.flush = new BackgroundRun("flush", files.writes()::storeAll);
        var options = new MountOptions(spec.mountPoint(), "volsh:" + spec.source(), BucketFileSystem.ROOT,
                spec.flags(), spec.appearance(), spec.settings().ttl(), spec.settings().ttl(), THREADS);
        this.mount = KernelMount.start(files, options);
        this.trace = new TraceRequests(mount.stats(), Transport.KERNEL);
        this.registered = new RegisteredMount(mount, spec, registry, this::answer, clock.instant(), events);
        this.watch = new BucketWatch(files, spec, events, mount.stats());
    }

    /** {@code uploads} is the directory in which processes log their uploads. */
    static BucketService start(BucketSpec spec, Registry registry, Path uploads, InstantSource clock, EventLog events)
            throws IOException {
        registry.prepare();
        MountService.requireUncovered(spec.mountPoint(), spec.caching().directories());
        var policy = new RetryPolicy(Integer.MAX_VALUE, Duration.ofMillis(50), Duration.ofSeconds(5),
                spec.patience());
        requireThere(spec);
        var store = new MountedObjects(OpenBuckets.open(spec.url(), policy), spec.prefix());
        try {
            var id = UUID.nameUUIDFromBytes("%s?%s".formatted(store.name(), spec.url())
                    .getBytes(StandardCharsets.UTF_8));
            var log = uploads.resolve(id.toString());
            new OsDisk().makePrivateDirectories(log);
            AbandonedUploads.remember(log, spec.url(), spec.prefix());
            removeLeft(spec, store, log, events);
            var disk = new CacheDisks(new OsDisk()).open(spec.caching(), id);
            var files = new BucketFileSystem(store, spec.settings(),
                    new MemoryCache(spec.caching().memory().bytes(), FRAME), disk, UploadLog.open(log), clock);
            try {
                return new BucketService(spec, registry, store, files, clock, events);
            } catch (IOException | RuntimeException failed) {
                files.close();
                throw failed;
            }
        } catch (IOException | RuntimeException failed) {
            store.close();
            throw failed;
        }
    }

    /** One attempt that says what is wrong with the bucket, before anything is mounted. */
    private static void requireThere(BucketSpec spec) throws IOException {
        try (var bucket = OpenBuckets.open(spec.url(), RetryPolicy.BRIEF)) {
            bucket.list(new ObjectQuery(spec.prefix(), false, "", 1));
        }
    }

    private static void removeLeft(BucketSpec spec, MountedObjects store, Path log, EventLog events) {
        try {
            int count = spec.settings().readOnly() ? 0 : UploadLog.discardLeft(log, store);
            if (count > 0) {
                events.add(Happening.Level.INFO, "mount", spec.mountPoint().toString(),
                        "removed %d uploads to %s that a mount had begun before it died"
                                .formatted(count, spec.source()));
            }
        } catch (IOException later) {
            LOG.log(Level.WARNING, "abandoned uploads could not be removed; the next mount tries again: "
                    + later.getMessage());
        }
    }

    private List<String> answer(MountRequest<?> request) throws IOException {
        return switch (request) {
            case PingRequest _, VersionRequest _ -> List.of();
            case StatsRequest r -> r.lines(stats());
            case TroublesRequest r -> r.lines(watch.tellTroubles());
            case UnwrittenRequest r -> r.lines(files.writes().unstored().stream().map(BucketService::unwritten)
                    .toList());
            case DirtyRequest r -> r.lines(false);
            case OpenRequest r -> r.lines(false);
            case StoreRequest r -> r.lines(storeAll(r.longest()));
            case GatherRequest r -> r.lines(0L);   // files are objects as soon as they are closed
            case FlushRequest r -> done(r, files::sync);
            case ReleaseRequest r -> done(r, () -> { });
            case RecountRequest r -> done(r, files.disk()::recount);
            case UnmountRequest r -> done(r, () -> unmount(r));
            case JobsRequest r -> r.lines(jobs());
            case EpochsRequest r -> r.lines(List.of());
            case CheckpointStatusRequest r -> r.lines(List.of());
            case CheckpointWaitRequest r -> r.lines(List.of());
            case TraceStartRequest r -> r.lines(trace.start(r.capacity()));
            case TraceTakeRequest r -> r.lines(trace.take(r.number()));
            case TraceStopRequest r -> r.lines(trace.stop(r.number()));
            default -> throw new Refusal(Refusal.Reason.INVALID,
                    "%s on %s is a bucket that is mounted without a volume: this works on volumes only"
                            .formatted(spec.source(), spec.mountPoint()),
                    "volsh mounts show " + ShellWord.of(spec.mountPoint()));
        };
    }

    private static List<String> done(Order order, Call.Action action) throws IOException {
        action.run();
        return order.lines(null);
    }

    private static UnwrittenFile unwritten(Unstored file) {
        var trouble = file.trouble();
        return new UnwrittenFile(file.key(), file.bytes(), file.since(),
                trouble == null ? "" : String.valueOf(trouble.getMessage()));
    }

    private List<Mounts.RunningJob> jobs() {
        var lines = files.renames().running();
        return IntStream.range(0, lines.size()).mapToObj(i -> new Mounts.RunningJob(i + 1L, lines.get(i))).toList();
    }

    private MountStats stats() {
        var done = mount.stats();
        var unstored = files.writes().unstored();
        var buffered = new MountStats.Buffered(unstored.stream().mapToLong(Unstored::bytes).sum(),
                unstored.stream().map(Unstored::since).min(Instant::compareTo));
        return new MountStats(done.readBytes(), done.writtenBytes(), buffered, store.traffic(),
                MountStats.Repeats.NONE, CompletedBlocks.NOTHING, StagingStatus.NOTHING, Optional.empty(),
                files.cache().usage(), files.disk().usage(), done.rows(), 0, MetaEngine.Counts.NONE,
                new MountStats.Background(Strays.Waiting.NOTHING,
                        List.of()),
                MountStats.Opened.NOTHING, store.latencies());
    }

    /** Stores every file, and leaves none. */
    private long storeAll(Duration longest) throws Refusal {
        flush.require(longest, () -> "%d files are not stored".formatted(files.writes().unstored().size()));
        return 0;
    }

    private void unmount(UnmountRequest how) throws IOException {
        registered.unmount(how.isLazy());
        detach();
        if (how.discards()) {
            var lost = files.writes().unstored();
            files.writes().discard();
            registered.giveUp();
            if (!lost.isEmpty()) {
                registered.report(Happening.Level.WARNING, "discarded by 'umount --discard': "
                        + lost.stream().map(Unstored::key).limit(20).toList());
            }
        }
    }

    private void detach() {
        registered.detach();
        watch.detached();
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
            // the files stay, and their failure is reported
        }
        registered.writeOut(() -> !files.writes().unstored().isEmpty(), files.writes()::storeAll);
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
        try (store; files) {
            mount.close();
            files.writes().storeAll();
        } catch (IOException | RuntimeException failed) {
            registered.report(Happening.Level.ERROR, "storing failed: %s; lost: %s"
                    .formatted(failed.getMessage(), files.writes().unstored().stream().map(Unstored::key).toList()));
            throw failed;
        } finally {
            registered.close();
        }
    }
}
