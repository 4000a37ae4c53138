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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import volsh.block.StoreUrl;
import volsh.cache.Epochs;
import volsh.disk.OsDisk;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Asked;
import volsh.fuse.MountFlag;
import volsh.fuse.MountPoint;
import volsh.fuse.MountTable;
import volsh.meta.JournalRow;
import volsh.secret.Secrets;
import volsh.unit.Span;
import volsh.volume.Access;
import volsh.volume.Caching;
import volsh.volume.Durability;
import volsh.volume.Home;
import volsh.volume.Refusal;
import volsh.volume.Refusal.Reason;
import volsh.volume.VolumePath;
import volsh.volume.VolumeSpec;
import volsh.volume.Volumes;
import volsh.warm.JobStatus;
import volsh.warm.PrefetchStatus;
import volsh.warm.Wish;

/** The front door to mounts: starts them in processes of their own, finds, asks and ends them. */
public final class Mounts {
    private static final Duration ANSWER = Duration.ofSeconds(4);
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
    }

    /** How a mount is. */
    public enum State {
        /** It answers. */
        OK,
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
     * @throws Refusal with what its log says, if it ends or does not answer in time
     */
    public MountRecord start(MountSpec spec, List<String> launcher, Duration patience) throws IOException {
        requireLasting(volumes.find(spec.source().volume()));
        requireFree(spec.mountPoint());
        requireDevice(DEVICE);
        new OsDisk().makePrivateDirectories(logs);
        var log = registry.log(logs, spec.mountPoint());
        Files.deleteIfExists(log);
        new OsDisk().create(log).close();   // 0600, whatever the umask
        var words = new ArrayList<>(launcher);
        words.addAll(List.of("mount", "--foreground", "--detached"));
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
        return awaitReady(spec, process, log, patience);
    }

    /** @throws Refusal INVALID if its blocks are in the memory of another process: the mount has its own */
    private void requireLasting(VolumeSpec volume) throws IOException {
        for (var store : volume.stores()) {
            var url = volumes.storeNamed(store).url();
            if (url.scheme() == StoreUrl.Scheme.MEM) {
                throw new Refusal(Reason.INVALID, "volume '%s' cannot be mounted: its store '%s', %s, is the memory of the process that uses it"
                        .formatted(volume.name(), store, url), "volsh store add scratch file:///path", "volsh volume create NAME --store scratch");
            }
        }
    }

    private MountRecord awaitReady(MountSpec spec, Process process, Path log, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() < deadline) {
            if (!process.isAlive()) {
                throw new Refusal(reason(process.exitValue()), "cannot mount '%s': %s".formatted(spec.source(), lastWords(log)), hints(spec, log));
            }
            var record = registry.find(spec.mountPoint()).filter(found -> found.pid() == process.pid());
            if (record.isPresent() && answers(spec.mountPoint())) {
                return record.get();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        process.destroy();
        throw new Refusal(Reason.UNAVAILABLE, "the mount of '%s' did not answer within %s".formatted(spec.source(), new Span(patience)), "cat " + log);
    }

    /** Why a volsh ended that could not mount, by its exit code. */
    private static Reason reason(int exit) {
        return switch (exit) {
            case 2 -> Reason.INVALID;
            case 3 -> Reason.NOT_FOUND;
            case 4 -> Reason.CONFLICT;
            case 5 -> Reason.BUSY;
            case 7 -> Reason.DAMAGED;
            case 8 -> Reason.NO_SPACE;
            case 9 -> Reason.FORBIDDEN;
            default -> Reason.UNAVAILABLE;
        };
    }

    private static String lastWords(Path log) throws IOException {
        var lines = Files.readAllLines(log);
        return lines.stream().filter(line -> line.startsWith("error: ")).map(line -> line.substring(7).replaceFirst(" \\[[A-Z]+-\\d+]$", "")).findFirst()
                .orElse(lines.isEmpty() ? "it said nothing" : lines.getLast());
    }

    /** Those it gave, for this mount point; else all it said. */
    private static String[] hints(MountSpec spec, Path log) throws IOException {
        var given = Files.readAllLines(log).stream().filter(line -> line.startsWith("hint: "))
                .map(line -> line.substring(6).replace(" DIRECTORY ", " " + spec.mountPoint() + " ")).toArray(String[]::new);
        return given.length > 0 ? given : new String[] {"cat " + log};
    }

    private boolean answers(Path mountPoint) {
        try {
            Control.ask(registry.socket(mountPoint), "ping");
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

    /** Asks all side by side: one that is silent is not waited for longer than this. */
    private List<Status> statuses(List<MountRecord> records, Duration longest) {
        var asked = new ArrayList<FutureTask<Status>>();
        for (var record : records) {
            var answer = new FutureTask<>(() -> status(record));
            Thread.ofPlatform().daemon().name("mount-look").start(answer);   // one that hangs is left behind
            asked.add(answer);
        }
        long end = System.nanoTime() + longest.toNanos();
        var found = new ArrayList<Status>();
        for (int i = 0; i < asked.size(); i++) {
            found.add(answered(asked.get(i), end).orElse(new Status(records.get(i), State.SILENT)));
        }
        return found;
    }

    private static Optional<Status> answered(FutureTask<Status> asked, long end) {
        try {
            return Optional.of(asked.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (ExecutionException | TimeoutException silent) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** A process that is stopped never answers, nor does the kernel where all threads of a mount wait for a store. */
    private Status status(MountRecord record) {
        if (!record.isAlive()) {
            return new Status(record, State.DEAD);
        }
        try {
            var troubles = troubles(record);
            boolean there = record.detached() || !troubles.isEmpty();
            if (!there) {
                there = Files.isDirectory(record.mountPoint());
                troubles = troubles(record);   // that look may have met one
                there |= !troubles.isEmpty();
            }
            return new Status(record, record.detached() ? State.DETACHED : there ? State.OK : State.SILENT, troubles);
        } catch (IOException silent) {
            return new Status(record, State.SILENT);
        }
    }

    private List<MountTrouble> troubles(MountRecord record) throws IOException {
        var troubles = new ArrayList<MountTrouble>();
        for (var line : Control.ask(registry.socket(record), "troubles")) {
            troubles.add(MountTrouble.parse(line));
        }
        return troubles;
    }

    /** What is mounted there, or was and is still being written out. Asks neither its process nor the kernel, which may wait for a store. */
    public Optional<VolumePath> source(Path mountPoint) throws IOException {
        return registry.findAny(mountPoint).map(MountRecord::source);
    }

    /** Which files have bytes that only the mount's process has, the largest first. */
    public List<UnwrittenFile> unwritten(Path mountPoint) throws IOException {
        var files = new ArrayList<UnwrittenFile>();
        if (requireMount(mountPoint).isAlive()) {
            for (var line : ask(mountPoint, "unwritten", List.of())) {
                files.add(UnwrittenFile.parse(line));
            }
        }
        return files;
    }

    /** @throws Refusal NOT_FOUND */
    public MountStats stats(Path mountPoint) throws IOException {
        var record = requireMount(mountPoint);
        return MountStats.parse(Control.ask(registry.socket(record), "stats"));
    }

    /** Files were deleted from the mount's cache directories. */
    public void recount(Path mountPoint) throws IOException {
        Control.ask(registry.socket(requireMount(mountPoint)), "recount");
    }

    /** Has the mount's process do something with its cache; returns the number of the job. Ask for its status, or it is given up. */
    public long start(Path mountPoint, Wish wish) throws IOException {
        return Long.parseLong(ask(mountPoint, "job", wish.words()).getFirst());
    }

    /** @throws IOException if the mount does not know such a job */
    public JobStatus job(Path mountPoint, long number) throws IOException {
        return JobStatus.parse(ask(mountPoint, "status", List.of(Long.toString(number))));
    }

    public void cancelJob(Path mountPoint, long number) throws IOException {
        ask(mountPoint, "cancel", List.of(Long.toString(number)));
    }

    /**
     * Has the mount's process stay so many files ahead of a reader whose order is told by {@link #addNames}; returns the number of the
     * job.
     */
    public long prefetch(Path mountPoint, int ahead) throws IOException {
        return Long.parseLong(ask(mountPoint, "prefetch", List.of(Integer.toString(ahead))).getFirst());
    }

    /** Adds names to the list, none perhaps; says how far it is, and how many names more it takes now. */
    public PrefetchStatus addNames(Path mountPoint, long number, List<String> names) throws IOException {
        var words = new ArrayList<>(List.of(Long.toString(number)));
        words.addAll(names);
        return PrefetchStatus.parse(ask(mountPoint, "names", words));
    }

    /** No more names come. */
    public void completeNames(Path mountPoint, long number) throws IOException {
        ask(mountPoint, "complete", List.of(Long.toString(number)));
    }

    /** How the data of each tier of the mount's cache is read. */
    public List<Epochs> epochs(Path mountPoint) throws IOException {
        return Epochs.parse(ask(mountPoint, "epochs", List.of()));
    }

    /** Requests that were recorded, and how many did not fit since the recording began. */
    public record Recorded(List<Asked> requests, long dropped) {}

    /** Has the mount remember what is asked of it, so many requests at most between two calls of {@link #takeRecorded}; returns the recording's number. */
    public long startRecording(Path mountPoint, int capacity) throws IOException {
        return Long.parseLong(ask(mountPoint, TraceRequests.PREFIX + "start", List.of(Integer.toString(capacity))).getFirst());
    }

    /** What was asked since the last call. Who does not call for 15 seconds has ended the recording. */
    public Recorded takeRecorded(Path mountPoint, long number) throws IOException {
        return recorded(ask(mountPoint, TraceRequests.PREFIX + "take", List.of(Long.toString(number))));
    }

    /** Ends the recording, with what was asked last. */
    public Recorded stopRecording(Path mountPoint, long number) throws IOException {
        return recorded(ask(mountPoint, TraceRequests.PREFIX + "stop", List.of(Long.toString(number))));
    }

    private static Recorded recorded(List<String> lines) {
        return new Recorded(lines.stream().skip(1).map(Asked::parse).toList(), Long.parseLong(lines.getFirst()));
    }

    /** Something that a mount does for somebody. */
    public record RunningJob(long number, String about) {}

    /** What the mount does for others now. */
    public List<RunningJob> jobs(Path mountPoint) throws IOException {
        return ask(mountPoint, "jobs", List.of()).stream().map(line -> line.split(" ", 2))
                .map(words -> new RunningJob(Long.parseLong(words[0]), words[1])).toList();
    }

    /** Removes the pin of a path of the volume; false if there is none. */
    public boolean unpin(Path mountPoint, String path) throws IOException {
        return Boolean.parseBoolean(ask(mountPoint, "unpin", List.of(path)).getFirst());
    }

    /**
     * Gives a cache directory of the mount another quota, until it is unmounted.
     *
     * @throws FsException NO_SPACE if what is pinned would not fit
     */
    public void resize(Path mountPoint, Path directory, long quotaBytes) throws IOException {
        var answer = ask(mountPoint, "resize", List.of(directory.toString(), Long.toString(quotaBytes)));
        if (!answer.isEmpty()) {
            throw new FsException(FsError.NO_SPACE, answer.getFirst());
        }
    }

    private List<String> ask(Path mountPoint, String verb, List<String> words) throws IOException {
        return Control.ask(registry.socket(requireMount(mountPoint)), Phrase.of(verb, words));
    }

    /** Everything written through the mount so far survives power loss when this returns. */
    public void flush(Path mountPoint) throws IOException {
        Control.ask(registry.socket(requireMount(mountPoint)), "flush");
    }

    /** Writes out and stores everything; returns the bytes that wait in the journal when the time is over. */
    public long store(Path mountPoint, Duration longest) throws IOException {
        return Long.parseLong(Control.ask(registry.socket(requireMount(mountPoint)), MountService.STORE + longest.toMillis()).getFirst());
    }

    /** How safe a file is, or everything below a directory, as far as this host knows. */
    public Durability durability(VolumePath path) throws IOException {
        try (var volume = volumes.open(path.volume(), Access.READ, "durability " + path.path())) {
            return new Durabilities(volume, writers(path.volume())).of(volume.paths().resolve(path.path()));
        }
    }

    /** Where the process of a mount listens to programs; see {@link Control}. */
    public Path socket(Path mountPoint) {
        return registry.socket(mountPoint);
    }

    /** Has a mount of this host this file of the volume open? */
    public boolean isOpen(String volume, long ino) throws IOException {
        for (var socket : writers(volume)) {
            if (Boolean.parseBoolean(Control.ask(socket, MountService.OPEN + ino).getFirst())) {
                return true;
            }
        }
        return false;
    }

    /** Has the mount's process save what is at a path in the background; false if it is skipped, for too many wait. Options are of {@link CheckpointRequests}. */
    public boolean saveCheckpoint(Path mountPoint, String run, long step, Path path, List<String> options) throws IOException {
        var words = new ArrayList<>(List.of(run, Long.toString(step), path.toString()));
        words.addAll(options);
        return ask(mountPoint, CheckpointRequests.PREFIX + "save", words).getFirst().equals("queued");
    }

    /** How the mount's process stands with checkpoints, run by run. */
    public List<SaverStatus> checkpoints(Path mountPoint) throws IOException {
        return ask(mountPoint, CheckpointRequests.PREFIX + "status", List.of()).stream().map(line -> SaverStatus.parse(mountPoint, line)).toList();
    }

    /** The same when all are saved or the time is over. @throws IOException what went wrong and nobody was told yet */
    public List<SaverStatus> awaitCheckpoints(Path mountPoint, Optional<String> run, Duration longest) throws IOException {
        var words = new ArrayList<>(List.of(Long.toString(longest.toMillis())));
        run.ifPresent(words::add);
        return ask(mountPoint, CheckpointRequests.PREFIX + "wait", words).stream().map(line -> SaverStatus.parse(mountPoint, line)).toList();
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
        for (var socket : writers) {
            Control.ask(socket, MountService.STORE + longest.toMillis());
        }
        if (writers.isEmpty()) {
            storeLeft(volume, longest);
        }
    }

    /** Stores what processes left in their journals on this host; returns the bytes that still wait then, also in journals of processes that run. */
    public long storeLeft(String volume, Duration longest) throws IOException {
        try (var opened = volumes.open(volume, Access.WRITE, "flush", clock, Caching.NONE, Optional.empty())) {
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
        for (var socket : writers(volume)) {
            Control.ask(socket, "flush");
        }
    }

    /** The sockets of those mounts of a volume that may have written. */
    private List<Path> writers(String volume) throws IOException {
        return registry.list().stream()
                .filter(record -> record.source().volume().equals(volume) && record.isAlive() && !record.options().startsWith("ro,"))
                .map(registry::socket)
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

        private boolean isLazy() {
            return this == LAZY || this == LAZY_DISCARD;
        }

        private boolean discards() {
            return this == DISCARD || this == LAZY_DISCARD;
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
    public long stop(Path mountPoint, Leaving how, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        var record = requireMount(mountPoint);
        if (!record.isAlive()) {
            clear(record);
            return 0;
        }
        long left = how == Leaving.WRITTEN ? writeOut(record, patience) : 0;
        try {
            Control.ask(registry.socket(record), "unmount" + (how.isLazy() ? " lazy" : "") + (how.discards() ? " discard" : ""));
        } catch (IOException refused) {
            throw inUse(mountPoint, how, refused);
        }
        if (how != Leaving.LAZY) {
            awaitEnd(record, deadline, patience);
        }
        return left;
    }

    private long writeOut(MountRecord record, Duration patience) throws IOException {
        try {
            return Long.parseLong(Control.ask(registry.socket(record), MountService.STORE + patience.toMillis()).getFirst());
        } catch (Refusal stuck) {
            var refusal = new Refusal(stuck.reason(), "cannot unmount %s, as not everything can be written out: %s".formatted(record.mountPoint(), stuck.getMessage()),
                    stuck, "what would be lost, without losing it: volsh umount --discard --dry-run " + record.mountPoint(),
                    "take it away now, and let its process go on trying: volsh umount --lazy " + record.mountPoint());
            throw refusal;
        } catch (IOException silent) {
            throw new Refusal(Reason.UNAVAILABLE, "cannot unmount %s: process %d does not answer: %s".formatted(record.mountPoint(), record.pid(), silent.getMessage()),
                    silent, "volsh mounts show " + record.mountPoint());
        }
    }

    private static Refusal inUse(Path mountPoint, Leaving how, IOException refused) throws IOException {
        var hint = how.discards() ? "volsh umount --discard --lazy --dry-run " + mountPoint : "volsh umount --lazy " + mountPoint;
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
                        record.mountPoint(), record.pid(), new Span(patience)), "volsh mounts show " + record.mountPoint());
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
