package volsh.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.disk.Disk;

/**
 * Blocks that wait on a local disk, in a directory that one process has for itself. Thread-safe. Segments whose blocks
 * are all gone are deleted; one with bytes that cannot be read is kept, for whoever wants to look at it.
 */
public final class Journal implements AutoCloseable {
    private static final String SUFFIX = ".journal";
    private static final long SEGMENT_FULL = 64L << 20;
    /** An idle segment of this size is given up for a new one. */
    private static final long SEGMENT_USED = 16L << 20;

    private final UUID id;
    private final Path directory;
    private final Disk disk;   // with hold of the directory, if it is our own
    private final InstantSource clock;
    private final Map<Long, Staged> blocks = new HashMap<>();
    private final List<Segment> left = new ArrayList<>();   // what another process wrote
    private @Nullable Segment current;   // null until something is appended, and after a failure
    private final Optional<Object> identity;   // of the directory; empty if another process made it
    private long bytes;
    private int number;

    private static final class Staged {
        final Segment segment;
        final Entry entry;
        final Instant since;
        volatile boolean trusted;

        Staged(Segment segment, Entry entry, Instant since, boolean trusted) {
            this.segment = segment;
            this.entry = entry;
            this.since = since;
            this.trusted = trusted;
        }

        /** What another process wrote is checked once: it may be what a failed write left of a block that is in the store. */
        boolean isTrusted() throws IOException {
            if (!trusted) {
                trusted = segment.isIntact(entry);
            }
            return trusted;
        }
    }

    private Journal(UUID id, Path directory, Disk disk, InstantSource clock, Optional<Object> identity) {
        this.id = id;
        this.directory = directory;
        this.disk = disk;
        this.clock = clock;
        this.identity = identity;
    }

    /** A new journal in a directory of its own, which is made. */
    public static Journal create(UUID id, Path directory, Disk disk, InstantSource clock) throws IOException {
        var held = disk.makeHeld(directory);
        return new Journal(id, directory, held, clock, held.stamp(directory).map(Disk.Stamp::file));
    }

    /**
     * What another process has staged, to be read, and if that process is gone to be {@link #remove removed} when it is
     * stored. @throws IOException if the directory cannot be read
     */
    public static Journal open(UUID id, Path directory, Disk disk, InstantSource clock) throws IOException {
        var journal = new Journal(id, directory, disk, clock, Optional.empty());
        for (var listed : disk.list(directory)) {
            if (listed.name().endsWith(SUFFIX)) {
                journal.take(Segment.left(directory.resolve(listed.name()), id, disk), Instant.ofEpochMilli(listed.modifiedMillis()));
            }
        }
        return journal;
    }

    private void take(Segment segment, Instant since) throws IOException {
        for (var entry : segment.scan()) {
            blocks.put(entry.block(), new Staged(segment, entry, since, false));
            bytes += entry.length();
        }
        left.add(segment);
    }

    public UUID id() {
        return id;
    }

    public Path directory() {
        return directory;
    }

    /** What its files are used through. */
    public Disk disk() {
        return disk;
    }

    /** Stages a block: once this returns, it survives power loss. @throws IOException if not; it is not staged then */
    public void append(long block, ByteBuffer payload) throws IOException {
        var segment = write(block, payload);
        try {
            segment.sync();
        } catch (IOException | RuntimeException failed) {
            abandon(segment);
            remove(block);
            throw failed;
        }
    }

    private synchronized Segment write(long block, ByteBuffer payload) throws IOException {
        var before = blocks.get(block);
        if (before != null) {   // a put that is repeated carries the same bytes
            return before.segment;
        }
        var segment = writable();
        try {
            var entry = segment.append(block, payload);
            blocks.put(block, new Staged(segment, entry, clock.instant(), true));
            bytes += entry.length();
            return segment;
        } catch (IOException | RuntimeException failed) {
            abandon(segment);
            throw failed;
        }
    }

    private Segment writable() throws IOException {
        if (current != null && (current.size() >= SEGMENT_FULL || current.staged() == 0 && current.size() >= SEGMENT_USED)) {
            var full = current;
            current = null;
            deleteIfDone(full);
        }
        if (current == null) {
            requireDirectory();
            current = Segment.create(directory.resolve("%06d%s".formatted(++number, SUFFIX)), id, disk);
        }
        return current;
    }

    private void requireDirectory() throws IOException {
        if (identity.isPresent() && !disk.byName().stamp(directory).map(Disk.Stamp::file).equals(identity)) {
            throw new MisplacedException(directory);
        }
    }

    /** Would the next process find what waits here? Not if the directory or a file of it was moved away or replaced; then it is only in this process's hands. */
    public synchronized boolean isInPlace() {
        try {
            requireDirectory();
            for (var segment : blocks.values().stream().map(staged -> staged.segment).distinct().toList()) {
                if (!segment.isInPlace()) {
                    return false;
                }
            }
            return true;
        } catch (IOException away) {
            return false;
        }
    }

    /** Half of an entry may be in it, or bytes that did not reach the disk: nothing more goes there. */
    private synchronized void abandon(Segment segment) throws IOException {
        if (current == segment) {
            current = null;
            deleteIfDone(segment);
        }
    }

    /** Reads a staged block; empty if it is not staged here (any more), or was damaged since another process did. */
    public Optional<Integer> read(long block, long offset, ByteBuffer target) throws IOException {
        var staged = find(block);
        if (staged == null) {
            return Optional.empty();
        }
        int start = target.position();
        try {
            return staged.isTrusted() ? Optional.of(staged.segment.read(staged.entry, offset, target)) : Optional.empty();
        } catch (IOException failed) {
            if (find(block) != null) {
                throw failed;
            }
            target.position(start);   // it was stored meanwhile
            return Optional.empty();
        }
    }

    private synchronized @Nullable Staged find(long block) {
        return blocks.get(block);
    }

    /**
     * Reads a whole staged block into {@code target}, which must have the room, and checks it; empty if it is not staged
     * here.
     *
     * @throws DamagedEntryException if these are not the bytes that were staged
     */
    Optional<ByteBuffer> load(long block, ByteBuffer target) throws IOException {
        var staged = find(block);
        if (staged == null) {
            return Optional.empty();
        }
        var room = target.clear().limit(staged.entry.length());
        int got = staged.segment.read(staged.entry, 0, room);
        room.flip();
        if (got < staged.entry.length() || Entry.checksum(room) != staged.entry.payloadChecksum()) {
            throw new DamagedEntryException("block %016x in %s at %d is damaged: it cannot be stored"
                    .formatted(block, staged.segment.path(), staged.entry.position()));
        }
        return Optional.of(room);
    }

    /** The file with this block is kept, whatever becomes of the others in it. */
    synchronized void markDamaged(long block) {
        Optional.ofNullable(blocks.get(block)).ifPresent(staged -> staged.segment.markDamaged());
    }

    /** Bytes of a staged block, 0 if it is not staged here. */
    synchronized int length(long block) {
        var staged = blocks.get(block);
        return staged == null ? 0 : staged.entry.length();
    }

    /** Forgets a block: it is stored, or nobody needs it. */
    public synchronized void remove(long block) throws IOException {
        var staged = blocks.remove(block);
        if (staged != null) {
            bytes -= staged.entry.length();
            staged.segment.release();
            if (staged.segment != current) {
                deleteIfDone(staged.segment);
            }
        }
    }

    private static void deleteIfDone(Segment segment) throws IOException {
        if (segment.staged() == 0 && !segment.isDamaged()) {
            segment.delete();
        }
    }

    /** The staged blocks, in the order of their ids. */
    public synchronized List<Long> blocks() {
        return blocks.keySet().stream().sorted().toList();
    }

    public synchronized boolean contains(long block) {
        return blocks.containsKey(block);
    }

    /** Bytes that wait. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Since when the oldest block waits; empty if none does. */
    public synchronized Optional<Instant> oldest() {
        return blocks.values().stream().map(staged -> staged.since).min(Instant::compareTo);
    }

    /** Since when this block waits; empty if it does not. */
    public synchronized Optional<Instant> since(long block) {
        return Optional.ofNullable(blocks.get(block)).map(staged -> staged.since);
    }

    /** Files with bytes that nobody can read. */
    public synchronized List<Path> damaged() {
        return Stream.concat(left.stream(), blocks.values().stream().map(staged -> staged.segment))
                .filter(Segment::isDamaged)
                .map(Segment::path)
                .distinct()
                .toList();
    }

    /** Nothing waits, and nothing is left that somebody should look at. */
    public synchronized boolean isDone() {
        return blocks.isEmpty() && damaged().isEmpty();
    }

    /** Removes the files in which nothing waits, of a journal whose process is gone. */
    public synchronized void tidy() throws IOException {
        for (var segment : left) {
            deleteIfDone(segment);
        }
    }

    /** Closes its files. Those in which something waits stay for the next process. */
    @Override
    public synchronized void close() throws IOException {
        for (var segment : blocks.values().stream().map(staged -> staged.segment).distinct().toList()) {
            segment.close();
        }
        if (current != null) {
            var last = current;
            current = null;
            last.close();
            deleteIfDone(last);
        }
    }
}
