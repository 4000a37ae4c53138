package volsh.mount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import volsh.assembly.CacheSettings;
import volsh.block.StoreUrl;
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
import volsh.fuse.Asked;
import volsh.fuse.MountFlag;
import volsh.fuse.MountPoint;
import volsh.fuse.MountTable;
import volsh.inventory.JournalRow;
import volsh.mount.MountRequest.*;
import volsh.secret.Secrets;
import volsh.unit.Span;
import volsh.volume.Durability;
import volsh.volume.Volumes;
import volsh.warm.JobStatus;
import volsh.warm.PrefetchStatus;
import volsh.warm.Wish;

/** The front door to mounts: starts them in processes of their own, finds, asks and ends them. */
public final class Mounts {
    private static final Duration ANSWER = Duration.ofSeconds(4);
    /** So often the process is asked while the kernel does not say what is at its mount point. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(300);
    private static final Path DEVICE = Path.of("/dev/fuse");

    private final Volumes volumes;
    private final InstantSource clock;
    private final Registry registry;
    private final Path logs;
    private final EventLog events;

    public Mounts(Home home, Volumes volumes, InstantSource clock) {
        this.volumes = volumes;
        this.clock = clock;
        this.registry = new Registry(home.run().resolve("mounts"), new OsDisk());
        this.logs = home.state().resolve("logs");
        this.events = new EventLog(home.state().resolve("events"));
    }

    /** A mount, whether it answers, and what it says is wrong with it, the worst first. */
    public record Status(MountRecord record, State state, List<MountTrouble> troubles) {
        public Status(MountRecord record, State state) {
            this(record, state, List.of());
        }

        public Status {
            troubles = List.copyOf(troubles);
        }

        /** Is it mounted, and does its process answer? */
        public boolean serves() {
            return state == State.OK || state == State.OTHER_VERSION;
        }
    }

    /** How a mount is. */
    public enum State {
        /** It answers. */
        OK,
        /** It serves programs and can be unmounted, but runs another version of volsh: it understands little else. */
        OTHER_VERSION,
        /** It is unmounted, and its process still writes out what it has. */
        DETACHED,
        /** Its process is there but does not answer. */
        SILENT,
        /** Its process is gone; the mount point may still be stuck. */
        DEAD
    }

    /** Starts to serve a mount in this process. @throws Refusal if the place will not do */
    public MountService serve(MountSpec spec) throws IOException {
        requireFree(spec.mountPoint());
        return MountService.start(spec, registry, volumes, spec.has(MountFlag.WRITEBACK_CACHE) ? new KernelClock() : clock, events);
    }

    /**
     * Starts a mount in a process of its own and returns when it answers.
     *
     * @param launcher the command line that runs volsh; the words of {@code volsh mount --foreground} are added
     * @throws Refusal with what its {@link StartResult} says, if it ends or does not answer in time
     */
    public MountRecord start(MountSpec spec, List<String> launcher, Duration patience) throws IOException {
        requireLasting(volumes.find(spec.source().volume()));
        requireFree(spec.mountPoint());
        requireDevice(DEVICE);
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

    private static Process launch(MountSpec spec, List<String> launcher, Path log, Path result) throws IOException {
        var words = new ArrayList<>(launcher);
        words.addAll(List.of("mount", "--foreground", "--detached", "--result", result.toString()));
        if (spec.has(MountFlag.ALLOW_OTHER)) {
            words.add("--allow-other");   // the usual for root alone
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

    /** @throws Refusal INVALID if its blocks are in the memory of another process: the mount has its own */
    private void requireLasting(VolumeSpec volume) throws IOException {
        for (var store : volume.stores()) {
            var url = volumes.storeNamed(store).url();
            if (url.scheme() == StoreUrl.Scheme.MEM) {
                throw new Refusal(Reason.INVALID, "volume '%s' cannot be mounted: its store '%s', %s, is the memory of the process that uses it"
                        .formatted(volume.name(), store, url), "volsh store add scratch file:///path", "volsh volume create %s-2 --store scratch".formatted(volume.name()));
            }
        }
    }

    private MountRecord awaitReady(MountSpec spec, Process process, Path log, Path result, Duration patience)
            throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() < deadline) {
            boolean alive = process.isAlive();   // before its result is read: what ends has left one
            var said = StartResult.read(result);
            if (said.isPresent() && said.get() instanceof StartResult.Failed failed) {
                throw refusal(spec, failed, log);
            }
            if (!alive && DiskSpace.of(Disk.directoryOf(log)).isFull()) {   // not even room for what it had to say
                throw new Refusal(Reason.NO_SPACE, "cannot mount '%s': no space is left on the disk of %s"
                        .formatted(spec.source(), log.getParent()), "df -h " + log.getParent());
            }
            if (!alive) {
                throw new Refusal(Reason.UNAVAILABLE,
                        "cannot mount '%s': its process ended with exit code %d before the mount was ready"
                                .formatted(spec.source(), process.exitValue()), "cat " + log);
            }
            var record = registry.find(spec.mountPoint()).filter(found -> found.pid() == process.pid());
            if (said.isPresent() && record.isPresent() && answers(spec.mountPoint())) {
                return record.get();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        process.destroy();
        throw new Refusal(Reason.UNAVAILABLE, "the mount of '%s' did not answer within %s".formatted(spec.source(), new Span(patience)), "cat " + log);
    }

    /** With its hints, for this mount point; without any, with where all is that its process said. */
    private static Refusal refusal(MountSpec spec, StartResult.Failed failed, Path log) {
        var hints = failed.hints().stream()
                .map(hint -> hint.replaceFirst("^mkdir -p (\\S+) && (volsh mount \\S+) \\1",
                        "$2 " + Matcher.quoteReplacement(spec.mountPoint().toString()))).toArray(String[]::new);
        return new Refusal(failed.reason(), "cannot mount '%s': %s".formatted(spec.source(), failed.message()),
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
        if (there.isPresent() && there.get().isOurs() && registry.find(mountPoint).filter(MountRecord::isAlive).isEmpty()) {
            clearDead(mountPoint);
            there = MountTable.at(mountPoint);
        }
        if (there.isPresent() && there.get().isOurs()) {
            throw new Refusal(Reason.CONFLICT, "%s is mounted already: %s".formatted(mountPoint, there.get().source()), "volsh umount " + mountPoint);
        }
        if (!Files.exists(mountPoint)) {
            throw new Refusal(Reason.NOT_FOUND, "the mount point %s is not there".formatted(mountPoint), "mkdir -p " + mountPoint);
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

    /** @throws Refusal UNAVAILABLE, or FORBIDDEN if it is there for others: fusermount3 opens it as whoever runs it */
    static void requireDevice(Path device) throws Refusal {
        if (!Files.exists(device)) {
            throw new Refusal(Reason.UNAVAILABLE, "this machine has no %s, which mounts need".formatted(device), "as root: modprobe fuse");
        }
        if (!Files.isReadable(device) || !Files.isWritable(device)) {
            throw new Refusal(Reason.FORBIDDEN, "you may not open %s, which mounts need".formatted(device), "as root: chmod 666 " + device);
        }
    }

    /** Every mount of this home, and every mount of ours that left no record here. */
    public List<Status> list() throws IOException {
        return list(ANSWER);
    }

    /** The same; one that does not answer within this time is silent. */
    public List<Status> list(Duration longest) throws IOException {
        return statuses(registry.list(), longest);
    }

    /** The files of records that cannot be read: nobody knows what is mounted there. */
    public List<Path> damagedRecords() throws IOException {
        return registry.damaged();
    }

    /** The same, under way: who needs the answer waits for it. */
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

    /** Where the volume is mounted on this machine, as far as their processes live; whether they answer is not asked. */
    public List<Path> of(String volume) throws IOException {
        return registry.list().stream().filter(record -> record.source().volume().equals(volume) && record.isAlive() && !record.detached())
                .map(MountRecord::mountPoint).toList();
    }

    public Optional<Status> find(Path mountPoint) throws IOException {
        return registry.findAny(mountPoint).map(record -> statuses(List.of(record), ANSWER).getFirst());
    }

    /** The same of one that was found before. */
    public Status look(MountRecord record) {
        return statuses(List.of(record), ANSWER).getFirst();
    }

    /**
     * The mount there, or, where a process is named, what that process has mounted or had mounted there.
     *
     * @throws Refusal NOT_FOUND
     */
    public MountRecord require(Path mountPoint, OptionalLong pid) throws IOException {
        if (pid.isEmpty()) {
            return requireMount(mountPoint);
        }
        return registry.find(mountPoint, pid.getAsLong()).orElseThrow(() -> new Refusal(Reason.NOT_FOUND,
                "process %d has nothing of volsh mounted on %s".formatted(pid.getAsLong(), mountPoint), "volsh mounts list"));
    }

    /** Is the process of this mount still there although the mount is gone? */
    public boolean isDetached(MountRecord record) throws IOException {
        return registry.find(record.mountPoint(), record.pid()).map(this::look).filter(now -> now.state() == State.DETACHED).isPresent();
    }

    /** Asks all side by side: one that is silent is not waited for longer than this. */
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

    /** A process that is stopped never answers, nor does the kernel where all threads of a mount wait for a store. */
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
                do {   // that look may meet a trouble, or wait for what is one
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

    /** What a mount left whose process is gone. */
    public DeadMount dead(MountRecord record) {
        return DeadMount.of(record, volumes);
    }

    /** Which files have bytes that only the mount's process has, the largest first. */
    public List<UnwrittenFile> unwritten(MountRecord record) throws IOException {
        return record.isAlive() ? ask(record, new UnwrittenRequest()) : List.of();
    }

    /** @throws Refusal NOT_FOUND */
    public MountStats stats(Path mountPoint) throws IOException {
        return ask(mountPoint, new StatsRequest());
    }

    /** The same of one of several processes. */
    public MountStats stats(MountRecord record) throws IOException {
        return ask(record, new StatsRequest());
    }

    /** Files were deleted from the mount's cache directories. */
    public void recount(Path mountPoint) throws IOException {
        ask(mountPoint, new RecountRequest());
    }

    /** Has the mount's process do something with its cache; returns the number of the job. Ask for its status, or it is given up. */
    public long start(Path mountPoint, Wish wish) throws IOException {
        return ask(mountPoint, new JobRequest(wish));
    }

    /** @throws IOException if the mount does not know such a job */
    public JobStatus job(Path mountPoint, long number) throws IOException {
        return ask(mountPoint, new JobStatusRequest(number));
    }

    public void cancelJob(Path mountPoint, long number) throws IOException {
        ask(mountPoint, new CancelRequest(number));
    }

    /**
     * Has the mount's process stay so many files ahead of a reader whose order is told by {@link #addNames}; returns the number of the
     * job.
     */
    public long prefetch(Path mountPoint, int ahead) throws IOException {
        return ask(mountPoint, new PrefetchRequest(ahead));
    }

    /** Adds names to the list, none perhaps; says how far it is, and how many names more it takes now. */
    public PrefetchStatus addNames(Path mountPoint, long number, List<String> names) throws IOException {
        return ask(mountPoint, new NamesRequest(number, names));
    }

    /** No more names come. */
    public void completeNames(Path mountPoint, long number) throws IOException {
        ask(mountPoint, new CompleteRequest(number));
    }

    /** How the data of each tier of the mount's cache is read. */
    public List<Epochs> epochs(Path mountPoint) throws IOException {
        return ask(mountPoint, new EpochsRequest());
    }

    /** Requests that were recorded, and how many did not fit since the recording began. */
    public record Recorded(List<Asked> requests, long dropped) {}

    /** Has the mount remember what is asked of it, so many requests at most between two calls of {@link #takeRecorded}; returns the recording's number. */
    public long startRecording(Path mountPoint, int capacity) throws IOException {
        return ask(mountPoint, new TraceStartRequest(capacity));
    }

    /** What was asked since the last call. Who does not call for 15 seconds has ended the recording. */
    public Recorded takeRecorded(Path mountPoint, long number) throws IOException {
        return ask(mountPoint, new TraceTakeRequest(number));
    }

    /** Ends the recording, with what was asked last. */
    public Recorded stopRecording(Path mountPoint, long number) throws IOException {
        return ask(mountPoint, new TraceStopRequest(number));
    }

    /** Something that a mount does for somebody. */
    public record RunningJob(long number, String about) {}

    /** What the mount does for others now. */
    public List<RunningJob> jobs(Path mountPoint) throws IOException {
        return ask(mountPoint, new JobsRequest());
    }

    /** Removes the pin of a path of the volume; false if there is none. */
    public boolean unpin(Path mountPoint, String path) throws IOException {
        return ask(mountPoint, new UnpinRequest(path));
    }

    /**
     * Gives a cache directory of the mount another quota, until it is unmounted.
     *
     * @throws FsException NO_SPACE if what is pinned would not fit
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

    /** Everything written through the mount so far survives power loss when this returns. */
    public void flush(MountRecord record) throws IOException {
        ask(record, new FlushRequest());
    }

    /** Writes out and stores everything; returns the bytes that wait in the journal when the time is over. */
    public long store(Path mountPoint, Duration longest) throws IOException {
        return ask(mountPoint, new StoreRequest(longest));
    }

    /**
     * Has the mounts of a volume on this machine let go of what was deleted and nobody there reads. One that does not answer is left out:
     * who looks at the sessions then sees what it holds.
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

    /** Where the process of a mount listens to programs; see {@link Control}. */
    public Path socket(MountRecord record) {
        return registry.socket(record);
    }

    /** Has a mount of this host this file of the volume open? */
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

    /** Has the mount's process save what is at a path in the background; false if it is skipped, for too many wait. Options are of {@link CheckpointRequests}. */
    public boolean saveCheckpoint(Path mountPoint, String run, long step, Path path, List<String> options) throws IOException {
        return ask(mountPoint, new CheckpointSaveRequest(run, step, path, options));
    }

    /** How the mount's process stands with checkpoints, run by run. */
    public List<SaverStatus> checkpoints(Path mountPoint) throws IOException {
        return on(mountPoint, ask(mountPoint, new CheckpointStatusRequest()));
    }

    /** The same when all are saved or the time is over. @throws IOException what went wrong and nobody was told yet */
    public List<SaverStatus> awaitCheckpoints(Path mountPoint, Optional<String> run, Duration longest) throws IOException {
        return on(mountPoint, ask(mountPoint, new CheckpointWaitRequest(longest, run)));
    }

    private static List<SaverStatus> on(Path mountPoint, List<SaverStatus> savers) {
        return savers.stream().map(status -> status.on(mountPoint)).toList();
    }

    /** The mount that a path is on. */
    public Optional<Path> mountOf(Path path) throws IOException {
        return registry.list().stream().filter(record -> !record.detached()).map(MountRecord::mountPoint).filter(path::startsWith).max(Comparator.comparingInt(Path::getNameCount));
    }

    /** Which place in a volume a path on a mount is; empty if it is on no mount of this home. */
    public Optional<VolumePath> volumePath(Path path) throws IOException {
        return registry.list().stream()
                .filter(record -> !record.detached() && path.startsWith(record.mountPoint()))
                .max(Comparator.comparingInt(record -> record.mountPoint().getNameCount()))
                .map(record -> within(record, path));
    }

    private static VolumePath within(MountRecord record, Path path) {
        var below = record.mountPoint().relativize(path).toString();
        return record.source().at(Path.of(record.source().path(), below).normalize().toString());
    }

    /**
     * Makes the files of a volume safer: whoever on this host writes to it stores and ships what it has, for so long at most.
     * If nobody has it open, what processes left in their journals is stored.
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

    /** Stores what processes left in their journals on this host; returns the bytes that still wait then, also in journals of processes that run. */
    public long storeLeft(String volume, Duration longest) throws IOException {
        try (var opened = volumes.open(volume, Access.WRITE, "flush", clock, CacheSettings.NONE, Optional.empty())) {
            boolean stored = opened.store(longest);
            opened.waitNoLonger();
            if (!stored) {
                return opened.staged().bytes();
            }
        }
        return volumes.journalsHere(volume).stream().mapToLong(JournalRow::bytes).sum();
    }

    /** Has every mount of this host that writes to the volume write out what it holds, so that all of it is in the metadata. */
    public void flush(String volume) throws IOException {
        for (var mount : writers(volume)) {
            ask(mount, new FlushRequest());
        }
    }

    /** Those mounts of a volume that may have written. */
    private List<MountRecord> writers(String volume) throws IOException {
        return registry.list().stream()
                .filter(record -> record.source().volume().equals(volume) && record.isAlive() && !record.options().startsWith("ro,"))
                .toList();
    }

    /** How a mount is left. */
    public enum Leaving {
        /** Everything is written out first. */
        WRITTEN,
        /** At once, although programs use it; its process goes on writing out what it has, and ends. */
        LAZY,
        /** What cannot be written out is dropped. */
        DISCARD,
        /** The same although programs use it. */
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
     * @param patience how long that may take in all
     * @return the bytes that wait in its journal, for the next mount
     * @throws Refusal NOT_FOUND; BUSY if programs use it; NO_SPACE, CONFLICT, FORBIDDEN or UNAVAILABLE if something cannot be written out, or its process does not
     *     end in time
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
            var refusal = new Refusal(stuck.reason(), "cannot unmount %s, as not everything can be written out: %s".formatted(record.mountPoint(), stuck.getMessage()),
                    stuck, "what would be lost, without losing it: volsh umount --discard --dry-run " + record.words(),
                    "take it away now, and let its process go on trying: volsh umount --lazy " + record.words());
            throw refusal;
        } catch (IOException silent) {
            throw new Refusal(Reason.UNAVAILABLE, "cannot unmount %s: process %d does not answer: %s".formatted(record.mountPoint(), record.pid(), silent.getMessage()),
                    silent, "volsh mounts show " + record.words());
        }
    }

    private static Refusal inUse(Path mountPoint, Leaving how, IOException refused) throws IOException {
        var words = how.request().discards() ? "--discard --lazy --dry-run" : "--lazy";
        var hint = "volsh umount %s %s".formatted(words, mountPoint);
        var busy = new Refusal(Reason.BUSY, "cannot unmount %s: %s".formatted(mountPoint, refused.getMessage()), refused, hint);
        for (String user : new Users(Path.of("/proc"), mountPoint).told()) {
            busy = busy.detail(user);
        }
        return busy;
    }

    private static void awaitEnd(MountRecord record, long deadline, Duration patience) throws IOException {
        while (record.isAlive()) {
            if (System.nanoTime() > deadline) {
                throw new Refusal(Reason.UNAVAILABLE, "%s is unmounted, but process %d has not ended within %s".formatted(
                        record.mountPoint(), record.pid(), new Span(patience)), "volsh mounts show " + record.words());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private MountRecord requireMount(Path mountPoint) throws IOException {
        return registry.findAny(mountPoint).orElseThrow(
                () -> new Refusal(Reason.NOT_FOUND, "nothing of volsh is mounted on %s".formatted(mountPoint), "volsh mounts list"));
    }

    /** Clears away what dead mounts left; returns where. */
    public List<Path> recover() throws IOException {
        var cleared = new ArrayList<Path>();
        for (var status : list()) {
            if (status.state() == State.DEAD) {
                clear(status.record());
                cleared.add(status.record().mountPoint());
            }
        }
        return cleared;
    }

    /** What is mounted where a detached one was is somebody else's. */
    private void clear(MountRecord record) throws IOException {
        events.add(Happening.Level.ERROR, "mount", record.mountPoint().toString(), "its process %d, of %s, was gone: what was left of it is cleared away"
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
