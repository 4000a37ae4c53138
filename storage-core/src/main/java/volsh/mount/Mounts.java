package volsh.mount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import volsh.block.RetryPolicy;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.bucketfs.AbandonedUploads;
import volsh.cache.Epochs;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumePath;
import volsh.catalog.VolumeSpec;
import volsh.disk.Disk;
import volsh.disk.OsDisk;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.DiskSpace;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ShellWord;
import volsh.fuse.Asked;
import volsh.fuse.MountFlag;
import volsh.fuse.MountPoint;
import volsh.fuse.MountTable;
import volsh.inventory.JournalRow;
import volsh.mount.MountRequest.*;
import volsh.secret.Secrets;
import volsh.unit.Span;
import volsh.volume.Durability;
import volsh.volume.OpeningRequest;
import volsh.volume.Volumes;
import volsh.warm.JobStatus;
import volsh.warm.PrefetchStatus;
import volsh.warm.Wish;

/** The front door to mounts: starts them in processes of their own, finds, queries and ends them. */
public final class Mounts {
    private static final Duration ANSWER = Duration.ofSeconds(4);
    /** How often the process is queried while the kernel does not say what is at its mount point. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(300);
    private static final Path DEVICE = Path.of("/dev/fuse");

    private final Volumes volumes;
    private final InstantSource clock;
    private final Registry registry;
    private final Path logs;
    private final Path uploads;
    private final EventLog events;

    public Mounts(Home home, Volumes volumes, InstantSource clock) {
        this.volumes = volumes;
        this.clock = clock;
        this.registry = new Registry(home.run().resolve("mounts"), new OsDisk());
        this.logs = home.state().resolve("logs");
        this.uploads = home.state().resolve("uploads");
        this.events = new EventLog(home.state().resolve("events"));
    }

    /** A mount, whether it answers, and its troubles, the worst first. */
    public record Status(MountRecord record, State state, List<MountTrouble> troubles) {
        public Status(MountRecord record, State state) {
            this(record, state, List.of());
        }

        public Status {
            troubles = List.copyOf(troubles);
        }

        /** Whether it is mounted and its process answers. */
        public boolean serves() {
            return state == State.OK || state == State.OTHER_VERSION;
        }
    }

    /** The state of a mount. */
    public enum State {
        /** It answers. */
        OK,
        /** It serves programs and can be unmounted, but runs another version of volsh. */
        OTHER_VERSION,
        /** It is unmounted, but its process still writes out. */
        DETACHED,
        /** Its process exists but does not answer. */
        SILENT,
        /** Its process is gone; the mount point may still be stuck. */
        DEAD
    }

    /** Serves a mount in this process. @throws Refusal if it cannot be mounted there */
    public ServedMountProcess serve(MountPlan plan) throws IOException {
        requireFree(plan.mountPoint());
        return switch (plan) {
            case MountSpec spec -> MountService.start(spec, registry, volumes,
                    spec.has(MountFlag.WRITEBACK_CACHE) ? new KernelClock() : clock, events);
            case BucketSpec spec -> BucketService.start(spec, registry, uploads, clock, events);
        };
    }

    /**
     * Starts a mount in a process of its own and returns when it answers.
     *
     * @param launcher the command line that runs volsh; the arguments of {@code volsh mount --foreground} are added
     * @throws Refusal with its {@link StartResult}, if it ends or does not answer in time
     */
    public MountRecord start(MountPlan spec, List<String> launcher, Duration patience) throws IOException {
        if (spec instanceof MountSpec volume) {
            requireLasting(volumes.find(volume.source().volume()));
        }
        requireFree(spec.mountPoint());
        requireDevice(DEVICE);
        if (spec instanceof MountSpec volume) {   // a passphrase is asked for here
            volumes.settings().keys().unlock(volumes.find(volume.source().volume()));
        }
        new OsDisk().makePrivateDirectories(logs);
        var log = registry.log(logs, spec.mountPoint());
        Files.deleteIfExists(log);
        new OsDisk().create(log).close();   // 0600, whatever the umask
        var result = registry.newResult();
        try {
            return awaitReady(spec, launch(spec, launcher, log, result), log, result, patience);
        } finally {
            Files.deleteIfExists(result);
        }
    }

    private static Process launch(MountPlan spec, List<String> launcher, Path log, Path result) throws IOException {
        var words = new ArrayList<>(launcher);
        words.addAll(List.of("mount", "--foreground", "--detached", "--result", result.toString()));
        if (spec.has(MountFlag.ALLOW_OTHER)) {
            words.add("--allow-other");   // the default for root only
        }
        words.addAll(spec.words());
        var builder = new ProcessBuilder(words)
                .directory(Path.of("/").toFile())
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .redirectErrorStream(true);
        var secrets = Secrets.takeFrom(builder.environment());
        var process = builder.start();
        Secrets.hand(secrets, process.getOutputStream());
        return process;
    }

    /** @throws Refusal INVALID if its blocks are in the memory of one process: the mount would have its own */
    private void requireLasting(VolumeSpec volume) throws IOException {
        for (var store : volume.stores()) {
            var url = volumes.stores().find(store).url();
            if (url.scheme() == StoreUrl.Scheme.MEM) {
                throw new Refusal(Reason.INVALID,
                        "cannot mount volume '%s': its store '%s', %s, exists only in the memory of one process"
                        .formatted(volume.name(), store, url), "volsh store add scratch file:///path",
                        "volsh volume create %s-2 --store scratch".formatted(volume.name()));
            }
        }
    }

    private MountRecord awaitReady(MountPlan spec, Process process, Path log, Path result, Duration patience)
            throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() < deadline) {
            boolean alive = process.isAlive();   // before its result is read: a process that ends writes one first
            var said = StartResult.read(result);
            if (said.isPresent() && said.get() instanceof StartResult.Failed failed) {
                throw refusal(spec, failed, log);
            }
            if (!alive && DiskSpace.of(Disk.directoryOf(log)).isFull()) {   // not even space for its result
                throw new Refusal(Reason.NO_SPACE, "cannot mount '%s': not enough space on the disk of %s"
                        .formatted(spec.origin(), log.getParent()),
                        "df -h " + ShellWord.of(Disk.directoryOf(log)));
            }
            if (!alive) {
                throw new Refusal(Reason.UNAVAILABLE,
                        "cannot mount '%s': its process exited with code %d before the mount was ready"
                                .formatted(spec.origin(), process.exitValue()), "cat " + log);
            }
            var record = registry.find(spec.mountPoint()).filter(found -> found.pid() == process.pid());
            if (said.isPresent() && record.isPresent() && answers(spec.mountPoint())) {
                return record.get();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        process.destroy();
        throw new Refusal(Reason.UNAVAILABLE, "mounting '%s' timed out: no answer within %s"
                .formatted(spec.origin(), new Span(patience)), "cat " + log);
    }

    /** With its hints, for this mount point; without any, with the path of its log. */
    private static Refusal refusal(MountPlan spec, StartResult.Failed failed, Path log) {
        var hints = failed.hints().stream()
                .map(hint -> hint.replaceFirst("^mkdir -p (\\S+) && (volsh mount \\S+) \\1",
                        "$2 " + Matcher.quoteReplacement(spec.mountPoint().toString()))).toArray(String[]::new);
        return new Refusal(failed.reason(), "cannot mount '%s': %s".formatted(spec.origin(), failed.message()),
                hints.length > 0 ? hints : new String[] {"cat " + log});
    }

    private boolean answers(Path mountPoint) {
        try {
            Control.ask(registry.socket(mountPoint), new PingRequest());
            return Files.isDirectory(mountPoint);
        } catch (IOException silent) {
            return false;
        }
    }

    /** @throws Refusal CONFLICT if something is mounted there; a dead mount of ours is cleared away first */
    private void requireFree(Path mountPoint) throws IOException {
        var there = MountTable.at(mountPoint);
        if (there.isPresent() && there.get().isOurs()
                && registry.find(mountPoint).filter(MountRecord::isAlive).isEmpty()) {
            clearDead(mountPoint);
            there = MountTable.at(mountPoint);
        }
        if (there.isPresent() && there.get().isOurs()) {
            throw new Refusal(Reason.CONFLICT, "%s is already in use as a mount point: %s"
                    .formatted(mountPoint, there.get().source()), "volsh umount " + ShellWord.of(mountPoint));
        }
        if (!Files.exists(mountPoint)) {
            throw new Refusal(Reason.NOT_FOUND, "the mount point %s does not exist".formatted(mountPoint),
                    "mkdir -p " + ShellWord.of(mountPoint));
        }
        if (!Files.isDirectory(mountPoint)) {
            throw new Refusal(Reason.INVALID, "the mount point %s is not a directory".formatted(mountPoint));
        }
    }

    private void clearDead(Path mountPoint) throws IOException {
        var record = registry.find(mountPoint);
        if (record.isPresent()) {
            clear(record.get());
        } else {
            takeAway(mountPoint);
        }
    }

    /** @throws Refusal UNAVAILABLE, or FORBIDDEN if only others may open it: fusermount3 opens it as its user */
    static void requireDevice(Path device) throws Refusal {
        if (!Files.exists(device)) {
            throw new Refusal(Reason.UNAVAILABLE, "FUSE is not available: this machine has no %s".formatted(device),
                    "as root: modprobe fuse");
        }
        if (!Files.isReadable(device) || !Files.isWritable(device)) {
            throw new Refusal(Reason.FORBIDDEN, "FUSE is not available: permission denied for %s".formatted(device),
                    "as root: chmod 666 " + device);
        }
    }

    /** Every mount of this home, and every mount of volsh without a record here. */
    public List<Status> list() throws IOException {
        return list(ANSWER);
    }

    /** Like {@link #list()}; a mount that does not answer within this time is silent. */
    public List<Status> list(Duration longest) throws IOException {
        return statuses(registry.list(), longest);
    }

    /** The files of unreadable records: it is unknown what is mounted there. */
    public List<Path> damagedRecords() throws IOException {
        return registry.damaged();
    }

    /** Like {@link #list(Duration)}, running in the background; get waits for the result. */
    public Supplier<List<Status>> listing(Duration longest) throws IOException {
        var records = registry.list();
        var asked = new FutureTask<>(() -> statuses(records, longest));
        Thread.ofPlatform().daemon().name("mounts-look").start(asked);
        return () -> {
            try {
                return asked.get();
            } catch (ExecutionException | InterruptedException stopped) {
                return records.stream().map(record -> new Status(record, State.SILENT)).toList();
            }
        };
    }

    /** Where the volume is mounted on this machine by live processes; does not check whether they answer. */
    public List<Path> of(String volume) throws IOException {
        return registry.list().stream()
                .filter(record -> record.source().volume().equals(volume) && record.isAlive() && !record.detached())
                .map(MountRecord::mountPoint).toList();
    }

    /** The mount points of each volume that is mounted here; reads the records once. */
    public Map<String, List<Path>> byVolume() throws IOException {
        return registry.list().stream().filter(record -> record.isAlive() && !record.detached())
                .collect(Collectors.groupingBy(record -> record.source().volume(),
                        Collectors.mapping(MountRecord::mountPoint, Collectors.toList())));
    }

    public Optional<Status> find(Path mountPoint) throws IOException {
        return registry.findAny(mountPoint).map(record -> statuses(List.of(record), ANSWER).getFirst());
    }

    /** The current status of a known mount. */
    public Status look(MountRecord record) {
        return statuses(List.of(record), ANSWER).getFirst();
    }

    /**
     * The mount there, or, if a process is given, what that process has or had mounted there.
     *
     * @throws Refusal NOT_FOUND
     */
    public MountRecord require(Path mountPoint, OptionalLong pid) throws IOException {
        if (pid.isEmpty()) {
            return requireMount(mountPoint);
        }
        return registry.find(mountPoint, pid.getAsLong()).orElseThrow(() -> new Refusal(Reason.NOT_FOUND,
                "process %d has no volsh mount on %s".formatted(pid.getAsLong(), mountPoint), "volsh mounts list"));
    }

    /** Whether the process of this mount still runs although the mount is gone. */
    public boolean isDetached(MountRecord record) throws IOException {
        return registry.find(record.mountPoint(), record.pid()).map(this::look)
                .filter(now -> now.state() == State.DETACHED).isPresent();
    }

    /** Queries all concurrently: a silent one is waited for no longer than this. */
    private List<Status> statuses(List<MountRecord> records, Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        var asked = new ArrayList<FutureTask<Status>>();
        for (var record : records) {
            var answer = new FutureTask<>(() -> status(record, end));
            Thread.ofPlatform().daemon().name("mount-look").start(answer);   // one that hangs is left behind
            asked.add(answer);
        }
        var found = new ArrayList<Status>();
        for (int i = 0; i < asked.size(); i++) {
            found.add(answered(asked.get(i), end).orElse(new Status(records.get(i), State.SILENT)));
        }
        return found;
    }

    private static <T> Optional<T> answered(FutureTask<T> asked, long end) {
        try {
            return Optional.ofNullable(asked.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (ExecutionException | TimeoutException silent) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** A stopped process never answers, nor does the kernel when all threads of a mount wait for a store. */
    private Status status(MountRecord record, long end) {
        if (!record.isAlive()) {
            return new Status(record, State.DEAD);
        }
        try {
            var troubles = ask(record, new TroublesRequest());
            boolean there = record.detached() || !troubles.isEmpty();
            if (!there) {
                var look = new FutureTask<>(() -> Files.isDirectory(record.mountPoint()));
                Thread.ofPlatform().daemon().name("mount-look-point").start(look);
                do {   // that look may hit a trouble, or wait because of one
                    there = answered(look, Math.min(end, System.nanoTime() + LOOK_AGAIN.toNanos())).orElse(false);
                    troubles = ask(record, new TroublesRequest());
                    there |= !troubles.isEmpty();
                } while (!there && !look.isDone() && System.nanoTime() < end);
            }
            return new Status(record, !there ? State.SILENT : !isOurVersion(record) ? State.OTHER_VERSION
                    : record.detached() ? State.DETACHED : State.OK, troubles);
        } catch (IOException silent) {
            return new Status(record, State.SILENT);
        }
    }

    private boolean isOurVersion(MountRecord record) throws IOException {
        try {
            ask(record, new VersionRequest());
            return true;
        } catch (Refusal other) {
            return false;
        }
    }

    /** What a mount with a dead process left. */
    public DeadMount dead(MountRecord record) {
        return DeadMount.of(record, volumes, uploads);
    }

    /** The files with bytes that only the mount's process has, the largest first. */
    public List<UnwrittenFile> unwritten(MountRecord record) throws IOException {
        return record.isAlive() ? ask(record, new UnwrittenRequest()) : List.of();
    }

    /** @throws Refusal NOT_FOUND */
    public MountStats stats(Path mountPoint) throws IOException {
        return ask(mountPoint, new StatsRequest());
    }

    /** Like {@link #stats(Path)}, for one of several processes. */
    public MountStats stats(MountRecord record) throws IOException {
        return ask(record, new StatsRequest());
    }

    /** Recounts the mount's cache directories after files were deleted from them. */
    public void recount(Path mountPoint) throws IOException {
        ask(mountPoint, new RecountRequest());
    }

    /** Starts a job on the mount's cache and returns its number. A job whose status is not polled is cancelled. */
    public long start(Path mountPoint, Wish wish) throws IOException {
        return ask(mountPoint, new JobRequest(wish));
    }

    /** @throws IOException if the mount has no such job */
    public JobStatus job(Path mountPoint, long number) throws IOException {
        return ask(mountPoint, new JobStatusRequest(number));
    }

    public void cancelJob(Path mountPoint, long number) throws IOException {
        ask(mountPoint, new CancelRequest(number));
    }

    /**
     * Starts prefetching up to {@code ahead} files ahead of a reader whose order is given by {@link #addNames}; returns
     * the number of the job.
     */
    public long prefetch(Path mountPoint, int ahead) throws IOException {
        return ask(mountPoint, new PrefetchRequest(ahead));
    }

    /** Adds names to the list, possibly none; returns the progress, and how many more names it accepts now. */
    public PrefetchStatus addNames(Path mountPoint, long number, List<String> names) throws IOException {
        return ask(mountPoint, new NamesRequest(number, names));
    }

    /** Marks the list of names as complete. */
    public void completeNames(Path mountPoint, long number) throws IOException {
        ask(mountPoint, new CompleteRequest(number));
    }

    /** The access pattern of each tier of the mount's cache. */
    public List<Epochs> epochs(Path mountPoint) throws IOException {
        return ask(mountPoint, new EpochsRequest());
    }

    /** Recorded requests, and how many were dropped since the recording began. */
    public record Recorded(List<Asked> requests, long dropped) {}

    /**
     * Starts recording requests, at most {@code capacity} between two calls of {@link #takeRecorded}; returns the
     * number of the recording.
     */
    public long startRecording(Path mountPoint, int capacity) throws IOException {
        return ask(mountPoint, new TraceStartRequest(capacity));
    }

    /** The requests since the last call. Without a call for 15 seconds the recording ends. */
    public Recorded takeRecorded(Path mountPoint, long number) throws IOException {
        return ask(mountPoint, new TraceTakeRequest(number));
    }

    /** Ends the recording and returns the last requests. */
    public Recorded stopRecording(Path mountPoint, long number) throws IOException {
        return ask(mountPoint, new TraceStopRequest(number));
    }

    /** A job of a mount. */
    public record RunningJob(long number, String about) {}

    /** The running jobs of the mount. */
    public List<RunningJob> jobs(Path mountPoint) throws IOException {
        return ask(mountPoint, new JobsRequest());
    }

    /** Removes the pin of a path of the volume; false if there is none. */
    public boolean unpin(Path mountPoint, String path) throws IOException {
        return ask(mountPoint, new UnpinRequest(path));
    }

    /**
     * Sets the quota of a cache directory of the mount, until it is unmounted.
     *
     * @throws FsException NO_SPACE if the pinned data would not fit
     */
    public void resize(Path mountPoint, Path directory, long quotaBytes) throws IOException {
        try {
            ask(mountPoint, new ResizeRequest(directory, quotaBytes));
        } catch (Refusal refused) {
            if (refused.reason() != Reason.NO_SPACE) {
                throw refused;
            }
            throw new FsException(FsError.NO_SPACE, refused.getMessage());
        }
    }

    private <A> A ask(Path mountPoint, MountRequest<A> request) throws IOException {
        return ask(requireMount(mountPoint), request);
    }

    private <A> A ask(MountRecord record, MountRequest<A> request) throws IOException {
        return Control.ask(registry.socket(record), request, "volsh umount " + record.words());
    }

    /** Makes everything written through the mount so far survive power loss. */
    public void flush(MountRecord record) throws IOException {
        ask(record, new FlushRequest());
    }

    /** Writes out and stores everything; returns the bytes left in the journal or the metadata at the timeout. */
    public long store(Path mountPoint, Duration longest) throws IOException {
        return ask(mountPoint, new GatherRequest(longest)) + ask(mountPoint, new StoreRequest(longest));
    }

    /**
     * Makes the mounts of a volume on this machine release deleted data that is no longer read there. A mount that does
     * not answer is skipped: its session shows what it holds.
     */
    public void release(String volume) throws IOException {
        var asked = new ArrayList<FutureTask<Void>>();
        for (var record : registry.list()) {
            if (record.source().volume().equals(volume) && record.isAlive()) {
                var answer = new FutureTask<>(() -> ask(record, new ReleaseRequest()));
                Thread.ofPlatform().daemon().name("mount-release").start(answer);   // one that hangs is left behind
                asked.add(answer);
            }
        }
        long end = System.nanoTime() + ANSWER.toNanos();
        for (var answer : asked) {
            answered(answer, end);
        }
    }

    /** How safe a file is, or everything below a directory, as far as this host knows. */
    public Durability durability(VolumePath path) throws IOException {
        try (var volume = volumes.open(path.volume(), Access.READ, "durability " + path.path())) {
            var writers = writers(path.volume());
            var all = new Durabilities(volume, ino -> any(writers, new DirtyRequest(ino)));
            return all.of(volume.paths().resolve(path.path()));
        }
    }

    /** The control socket of a mount; see {@link Control}. */
    public Path socket(MountRecord record) {
        return registry.socket(record);
    }

    /** Whether a mount of this host has this file of the volume open. */
    public boolean isOpen(String volume, long ino) throws IOException {
        return any(writers(volume), new OpenRequest(ino));
    }

    private boolean any(List<MountRecord> mounts, MountRequest<Boolean> question) throws IOException {
        for (var mount : mounts) {
            if (ask(mount, question)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Saves a path in the background in the mount's process; false if it is skipped because the queue is full. Options
     * are those of {@link CheckpointRequests}.
     */
    public boolean saveCheckpoint(Path mountPoint, String run, long step, Path path, List<String> options)
            throws IOException {
        return ask(mountPoint, new CheckpointSaveRequest(run, step, path, options));
    }

    /** The state of checkpoint saves in the mount's process, by run. */
    public List<SaverStatus> checkpoints(Path mountPoint) throws IOException {
        return on(mountPoint, ask(mountPoint, new CheckpointStatusRequest()));
    }

    /**
     * Like {@link #checkpoints}, once all are saved or at the timeout.
     * @throws IOException with failures not yet reported
     */
    public List<SaverStatus> awaitCheckpoints(Path mountPoint, Optional<String> run, Duration longest)
            throws IOException {
        return on(mountPoint, ask(mountPoint, new CheckpointWaitRequest(longest, run)));
    }

    private static List<SaverStatus> on(Path mountPoint, List<SaverStatus> savers) {
        return savers.stream().map(status -> status.on(mountPoint)).toList();
    }

    /** The mount that a path is on. */
    public Optional<Path> mountOf(Path path) throws IOException {
        return registry.list().stream().filter(record -> !record.detached()).map(MountRecord::mountPoint)
                .filter(path::startsWith).max(Comparator.comparingInt(Path::getNameCount));
    }

    /** The volume path of a path on a mount; empty if it is on no mount of a volume of this home. */
    public Optional<VolumePath> volumePath(Path path) throws IOException {
        return registry.list().stream()
                .filter(record -> !record.detached() && path.startsWith(record.mountPoint()))
                .max(Comparator.comparingInt(record -> record.mountPoint().getNameCount()))
                .flatMap(record -> record.source().place().map(place -> within(place, record.mountPoint(), path)));
    }

    private static VolumePath within(VolumePath place, Path mountPoint, Path path) {
        var below = mountPoint.relativize(path).toString();
        return place.at(Path.of(place.path(), below).normalize().toString());
    }

    /**
     * Makes the files of a volume safer: every writer on this host stores and ships what it has, within a time limit.
     * If there is none, the journals of dead processes are stored.
     */
    public void hasten(String volume, Duration longest) throws IOException {
        var writers = writers(volume);
        for (var mount : writers) {
            ask(mount, new StoreRequest(longest));
        }
        if (writers.isEmpty()) {
            storeLeft(volume, longest);
        }
    }

    /** Stores the journals of dead processes on this host; returns the bytes still waiting, also of running ones. */
    public long storeLeft(String volume, Duration longest) throws IOException {
        try (var opened = volumes.open(OpeningRequest.of(volume, Access.WRITE, "flush").dated(clock).lasting())) {
            boolean stored = opened.store(longest);
            opened.waitNoLonger();
            if (!stored) {
                return opened.staged().bytes();
            }
        }
        return volumes.journals().here(volume).stream().mapToLong(JournalRow::bytes).sum();
    }

    /** Makes every writing mount of this host write out its buffers, so that everything is in the metadata. */
    public void flush(String volume) throws IOException {
        for (var mount : writers(volume)) {
            ask(mount, new FlushRequest());
        }
    }

    /** The mounts of a volume that may have written. */
    private List<MountRecord> writers(String volume) throws IOException {
        return registry.list().stream()
                .filter(record -> record.source().volume().equals(volume) && record.isAlive()
                        && !record.options().startsWith("ro,"))
                .toList();
    }

    /** How to unmount. */
    public enum Leaving {
        /** Everything is written out first. */
        WRITTEN,
        /** At once, even if in use; its process continues to write out, then ends. */
        LAZY,
        /** Data that cannot be written out is dropped. */
        DISCARD,
        /** Like DISCARD, even if in use. */
        LAZY_DISCARD;

        private UnmountRequest request() {
            return new UnmountRequest(switch (this) {
                case WRITTEN -> List.of();
                case LAZY -> List.of(UnmountRequest.LAZY);
                case DISCARD -> List.of(UnmountRequest.DISCARD);
                case LAZY_DISCARD -> List.of(UnmountRequest.LAZY, UnmountRequest.DISCARD);
            });
        }
    }

    /**
     * Ends a mount. {@link Leaving#WRITTEN}: everything written is committed when this returns.
     *
     * @param patience the time limit
     * @return the bytes left in its journal, for the next mount
     * @throws Refusal NOT_FOUND; BUSY if it is in use; NO_SPACE, CONFLICT, FORBIDDEN or UNAVAILABLE if data cannot be
     * written out, or its process does not end in time
     */
    public long stop(MountRecord record, Leaving how, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        if (!record.isAlive()) {
            clear(record);
            return 0;
        }
        long left = how == Leaving.WRITTEN ? writeOut(record, patience) : 0;
        try {
            ask(record, how.request());
        } catch (IOException refused) {
            throw inUse(record.mountPoint(), how, refused);
        }
        if (how != Leaving.LAZY) {
            awaitEnd(record, deadline, patience);
        }
        return left;
    }

    private long writeOut(MountRecord record, Duration patience) throws IOException {
        try {
            return ask(record, new StoreRequest(patience));
        } catch (Refusal stuck) {
            var refusal = new Refusal(stuck.reason(), "cannot unmount %s: some data cannot be written out: %s"
                    .formatted(record.mountPoint(), stuck.getMessage()), stuck,
                    "see what would be lost: volsh umount --discard --dry-run " + record.words(),
                    "unmount now and keep retrying in the background: volsh umount --lazy " + record.words());
            throw refusal;
        } catch (IOException silent) {
            throw new Refusal(Reason.UNAVAILABLE, "cannot unmount %s: process %d does not respond: %s"
                    .formatted(record.mountPoint(), record.pid(), silent.getMessage()), silent,
                    "volsh mounts show " + record.words());
        }
    }

    private static Refusal inUse(Path mountPoint, Leaving how, IOException refused) throws IOException {
        var words = how.request().discards() ? "--discard --lazy --dry-run" : "--lazy";
        var hint = "volsh umount %s %s".formatted(words, ShellWord.of(mountPoint));
        var busy = new Refusal(Reason.BUSY, "cannot unmount %s: %s".formatted(mountPoint, refused.getMessage()),
                refused, hint);
        for (String user : new Users(Path.of("/proc"), mountPoint).told()) {
            busy = busy.detail(user);
        }
        return busy;
    }

    private static void awaitEnd(MountRecord record, long deadline, Duration patience) throws IOException {
        while (record.isAlive()) {
            if (System.nanoTime() > deadline) {
                throw new Refusal(Reason.UNAVAILABLE, "%s is unmounted, but waiting for process %d timed out after %s"
                        .formatted(record.mountPoint(), record.pid(), new Span(patience)),
                        "volsh mounts show " + record.words());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private MountRecord requireMount(Path mountPoint) throws IOException {
        return registry.findAny(mountPoint).orElseThrow(
                () -> new Refusal(Reason.NOT_FOUND, "no volsh mount on %s".formatted(mountPoint), "volsh mounts list"));
    }

    /** Clears away dead mounts and returns their mount points. */
    public List<Path> recover() throws IOException {
        var cleared = new ArrayList<Path>();
        for (var status : list()) {
            if (status.state() == State.DEAD) {
                clear(status.record());
                cleared.add(status.record().mountPoint());
            }
        }
        removeUploads();
        return cleared;
    }

    /** Mounts of buckets have left them. */
    private void removeUploads() {
        try {
            int count = AbandonedUploads.discard(uploads, url -> OpenBuckets.open(url, RetryPolicy.BRIEF));
            if (count > 0) {
                events.add(Happening.Level.INFO, "mount", "uploads",
                        "removed %d uploads that mounts of buckets had begun before they died".formatted(count));
            }
        } catch (IOException later) {
            events.add(Happening.Level.WARNING, "mount", "uploads",
                    "uploads of dead mounts could not be removed; the next mount of the bucket tries again: "
                            + later.getMessage());
        }
    }

    /** Leaves alone what is mounted where a detached mount was. */
    private void clear(MountRecord record) throws IOException {
        events.add(Happening.Level.ERROR, "mount", record.mountPoint().toString(),
                "process %d of %s had died: its mount was cleared away"
                .formatted(record.pid(), record.source()));
        if (!record.detached()) {
            takeAway(record.mountPoint());
        }
        registry.remove(record);
    }

    private static void takeAway(Path mountPoint) throws IOException {
        while (MountTable.at(mountPoint).filter(MountTable.Line::isOurs).isPresent() && MountPoint.detach(mountPoint)) {
            // one layer at a time
        }
    }
}
