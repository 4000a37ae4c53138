package volsh.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import volsh.fs.NoSpaceException;

/**
 * A disk in memory that can lose power. It keeps what was synced apart from what was not; {@link #crash} throws dice
 * over the rest. It can fail any single call, lose power at any call, and fill up. Everything it does follows from the
 * calls made and the random given: a failing seed fails again.
 *
 * <p>Calls are counted: every method of the disk and of its files is one, {@code close} and {@code size} are none.
 */
public final class SimulatedDisk implements Disk {
    private static final long NEVER = Long.MAX_VALUE;

    private final Names names = new Names();
    private final Map<Path, Long> directories = new HashMap<>();
    private long capacityBytes = NEVER;
    private long calls;
    private long failAt = NEVER;
    private long powerOffAt = NEVER;
    private boolean off;
    private boolean syncsIgnored;
    private long generation;
    private long clockMillis = 1_000_000_000_000L;

    /** Lets the {@code n}-th call from now (1 = the next) fail, once, with nothing done. */
    public synchronized void failCall(long n) {
        failAt = calls + n;
    }

    /**
     * Lets power fail in the {@code n}-th call from now: it may have had an effect, and it and all later ones throw.
     */
    public synchronized void losePowerAtCall(long n) {
        powerOffAt = calls + n;
    }

    /** The bytes all files together may have; writes beyond fail as on a full disk. */
    public synchronized void capacity(long bytes) {
        capacityBytes = bytes;
    }

    /** From now on syncs report success and do nothing: what a test must be able to notice. */
    public synchronized void ignoreSyncs() {
        syncsIgnored = true;
    }

    public synchronized long calls() {
        return calls;
    }

    /** Lets time pass, as files' modified times show it. */
    public synchronized void advance(Duration time) {
        clockMillis += time.toMillis();
    }

    public synchronized long millis() {
        return clockMillis;
    }

    /**
     * Power is lost and comes back: open files are gone, unsynced writes and names survive, vanish or tear by {@code
     * random}.
     */
    public synchronized void crash(Random random) {
        names.crash(random);
        generation++;
        off = false;
        powerOffAt = NEVER;
        failAt = NEVER;
    }

    @Override
    public synchronized File open(Path path) throws IOException {
        begin("open", path);
        return new Handle(path, found(path), generation);
    }

    @Override
    public synchronized File edit(Path path) throws IOException {
        return open(path);
    }

    @Override
    public synchronized File create(Path path) throws IOException {
        begin("create", path);
        requireDirectory(path.toAbsolutePath().getParent());
        if (names.seen.containsKey(path.toAbsolutePath())) {
            throw new FileAlreadyExistsException(path.toString());
        }
        var file = new SimulatedFile();
        file.modifiedMillis = ++clockMillis;
        names.create(path.toAbsolutePath(), file);
        end("create", path);
        return new Handle(path, file, generation);
    }

    @Override
    public synchronized void makeDirectories(Path directory) throws IOException {
        begin("make", directory);
        for (Path each = directory.toAbsolutePath(); each != null; each = each.getParent()) {
            if (names.seen.containsKey(each)) {
                throw new FileAlreadyExistsException(each.toString());
            }
            directories.putIfAbsent(each, clockMillis);
        }
        end("make", directory);
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        begin("rename", from);
        found(from);
        requireDirectory(to.toAbsolutePath().getParent());
        names.rename(from.toAbsolutePath(), to.toAbsolutePath());
        end("rename", from);
    }

    @Override
    public synchronized void link(Path from, Path to) throws IOException {
        begin("link", from);
        var file = found(from);
        requireDirectory(to.toAbsolutePath().getParent());
        if (names.seen.containsKey(to.toAbsolutePath())) {
            throw new FileAlreadyExistsException(to.toString());
        }
        names.create(to.toAbsolutePath(), file);
        end("link", from);
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        begin("delete", path);
        if (names.seen.containsKey(path.toAbsolutePath())) {
            names.delete(path.toAbsolutePath());
        }
        end("delete", path);
    }

    /** Looks at the length first: a disk with hundreds of directories is listed thousands of times. */
    private static boolean isIn(Path directory, Path path) {
        return path.getNameCount() == directory.getNameCount() + 1 && path.startsWith(directory);
    }

    @Override
    public synchronized List<Listed> list(Path directory) throws IOException {
        begin("list", directory);
        Path absolute = directory.toAbsolutePath();
        var listed = new ArrayList<Listed>();
        directories.forEach((path, since) -> {
            if (isIn(absolute, path)) {
                listed.add(new Listed(path.getFileName().toString(), true, 0, since));
            }
        });
        names.seen.forEach((path, file) -> {
            if (isIn(absolute, path)) {
                listed.add(new Listed(path.getFileName().toString(), false, file.length(), file.modifiedMillis));
            }
        });
        listed.sort(Comparator.comparing(Listed::name));
        return List.copyOf(listed);
    }

    @Override
    public synchronized Optional<Stamp> stamp(Path path) throws IOException {
        begin("stamp", path);
        var file = names.seen.get(path.toAbsolutePath());
        return file == null ? Optional.empty() : Optional.of(new Stamp(file, file.length(), file.modifiedMillis));
    }

    @Override
    public synchronized void syncDirectory(Path directory) throws IOException {
        begin("sync", directory);
        requireDirectory(directory.toAbsolutePath());
        requirePower("sync", directory);
        if (!syncsIgnored) {
            names.sync(directory.toAbsolutePath());
        }
    }

    private SimulatedFile found(Path path) throws NoSuchFileException {
        SimulatedFile file = names.seen.get(path.toAbsolutePath());
        if (file == null) {
            throw new NoSuchFileException(path.toString());
        }
        return file;
    }

    private void requireDirectory(Path directory) throws NoSuchFileException {
        if (!directories.containsKey(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
    }

    private void begin(String what, Path path) throws IOException {
        boolean wasOff = off;
        off |= ++calls >= powerOffAt;
        if (wasOff) {
            throw new IOException("simulated power loss before %s %s".formatted(what, path));
        }
        if (calls == failAt) {
            throw new IOException("simulated failure of %s %s".formatted(what, path));
        }
    }

    /** The call that met the power loss has had its effect, but nobody learns of it. */
    private void end(String what, Path path) throws IOException {
        requirePower(what, path);
    }

    private void requirePower(String what, Path path) throws IOException {
        if (off) {
            throw new IOException("simulated power loss during %s %s".formatted(what, path));
        }
    }

    private final class Handle implements File {
        private final Path path;
        private final SimulatedFile file;
        private final long opened;
        private boolean closed;

        Handle(Path path, SimulatedFile file, long opened) {
            this.path = path;
            this.file = file;
            this.opened = opened;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                enter("read");
                return file.read(target, position);
            }
        }

        @Override
        public void write(ByteBuffer source, long position) throws IOException {
            synchronized (SimulatedDisk.this) {
                enter("write");
                long growth = Math.max(0, position + source.remaining() - file.length());
                if (capacityBytes != NEVER && used() + growth > capacityBytes) {
                    throw new NoSpaceException("simulated: the disk is full: " + path, null);
                }
                file.write(source, position);
                file.modifiedMillis = ++clockMillis;
                end("write", path);
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (SimulatedDisk.this) {
                requireOpen();
                return file.length();
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (SimulatedDisk.this) {
                if (calls + 1 == failAt) {
                    file.syncFails();
                }
                enter("sync");
                requirePower("sync", path);
                if (!syncsIgnored) {
                    file.sync();
                }
            }
        }

        private void enter(String what) throws IOException {
            requireOpen();
            begin(what, path);
        }

        private void requireOpen() throws IOException {
            if (closed || opened != generation) {
                throw new IOException("not open: " + path);
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private long used() {
        return names.seen.values().stream().distinct().mapToLong(SimulatedFile::length).sum();
    }
}
