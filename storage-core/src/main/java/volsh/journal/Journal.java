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
 * Staged blocks on a local disk, in a directory for the exclusive use of one process. Thread-safe. Segments without
 * staged blocks are deleted; one with unreadable bytes is kept for inspection.
 */
public final class Journal implements AutoCloseable {
    private static final String SUFFIX = ".journal";
    private static final long SEGMENT_FULL = 64L << 20;
    /** An idle segment of this size is replaced by a new one. */
    private static final long SEGMENT_USED = 16L << 20;

    private final UUID id;
    private final Path directory;
    private final Disk disk;   // holding the directory open, if it is our own
    private final InstantSource clock;
    private final Map<Long, Staged> blocks = new HashMap<>();
    private final List<Segment> left = new ArrayList<>();   // segments of another process
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

        /** Segments of another process are checked once: they may contain remains of a failed write. */
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

    /** Creates a journal in a new directory of its own. */
    public static Journal create(UUID id, Path directory, Disk disk, InstantSource clock) throws IOException {
        var held = disk.makeHeld(directory);
        return new Journal(id, directory, held, clock, held.stamp(directory).map(Disk.Stamp::file));
    }

    /**
     * Opens what another process has staged, to be read, and if that process is gone to be {@link #remove removed} once
     * stored.
     * @throws IOException if the directory cannot be read
     */
    public static Journal open(UUID id, Path directory, Disk disk, InstantSource clock) throws IOException {
        var journal = new Journal(id, directory, disk, clock, Optional.empty());
        for (var listed : disk.list(directory)) {
            if (listed.name().endsWith(SUFFIX)) {
                journal.take(Segment.left(directory.resolve(listed.name()), id, disk),
                        Instant.ofEpochMilli(listed.modifiedMillis()));
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

    /** The disk through which its files are used. */
    public Disk disk() {
        return disk;
    }

    /** Stages a block: once this returns, it survives power loss. @throws IOException if it could not be staged */
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
        if (before != null) {   // a repeated put carries the same bytes
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
        if (current != null
                && (current.size() >= SEGMENT_FULL || current.staged() == 0 && current.size() >= SEGMENT_USED)) {
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

    /**
     * Whether the next process would find what is staged here. Not if the directory or one of its files was moved away
     * or replaced; then only this process has it.
     */
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

    /** Abandons a segment after a failed write: it may contain half an entry, or bytes that did not reach the disk. */
    private synchronized void abandon(Segment segment) throws IOException {
        if (current == segment) {
            current = null;
            deleteIfDone(segment);
        }
    }

    /** Reads a staged block; empty if it is not staged here (any more), or is a damaged one of another process. */
    public Optional<Integer> read(long block, long offset, ByteBuffer target) throws IOException {
        var staged = find(block);
        if (staged == null) {
            return Optional.empty();
        }
        int start = target.position();
        try {
            return staged.isTrusted() ? Optional.of(staged.segment.read(staged.entry, offset, target))
                    : Optional.empty();
        } catch (IOException failed) {
            if (find(block) != null) {
                throw failed;
            }
            target.position(start);   // stored meanwhile
            return Optional.empty();
        }
    }

    private synchronized @Nullable Staged find(long block) {
        return blocks.get(block);
    }

    /**
     * Reads a whole staged block into {@code target}, which must have enough space, and verifies it; empty if it is not
     * staged here.
     *
     * @throws DamagedEntryException if the bytes differ from what was staged
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
            throw new DamagedEntryException("staged block %016x in %s at %d is corrupt: it cannot be stored"
                    .formatted(block, staged.segment.path(), staged.entry.position()));
        }
        return Optional.of(room);
    }

    /** Keeps the file with this block, whatever happens to the others in it. */
    synchronized void markDamaged(long block) {
        Optional.ofNullable(blocks.get(block)).ifPresent(staged -> staged.segment.markDamaged());
    }

    /** Bytes of a staged block, 0 if it is not staged here. */
    synchronized int length(long block) {
        var staged = blocks.get(block);
        return staged == null ? 0 : staged.entry.length();
    }

    /** Removes a block: it is stored, or no longer needed. */
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

    /** The staged blocks, ordered by id. */
    public synchronized List<Long> blocks() {
        return blocks.keySet().stream().sorted().toList();
    }

    public synchronized boolean contains(long block) {
        return blocks.containsKey(block);
    }

    /** The total of staged bytes. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Since when the oldest block waits; empty if there is none. */
    public synchronized Optional<Instant> oldest() {
        return blocks.values().stream().map(staged -> staged.since).min(Instant::compareTo);
    }

    /** Since when this block waits; empty if it does not. */
    public synchronized Optional<Instant> since(long block) {
        return Optional.ofNullable(blocks.get(block)).map(staged -> staged.since);
    }

    /** Files with unreadable bytes. */
    public synchronized List<Path> damaged() {
        return Stream.concat(left.stream(), blocks.values().stream().map(staged -> staged.segment))
                .filter(Segment::isDamaged)
                .map(Segment::path)
                .distinct()
                .toList();
    }

    /** Whether nothing is staged, and nothing is left to inspect. */
    public synchronized boolean isDone() {
        return blocks.isEmpty() && damaged().isEmpty();
    }

    /** Removes files without staged blocks, of a journal whose process is gone. */
    public synchronized void tidy() throws IOException {
        for (var segment : left) {
            deleteIfDone(segment);
        }
    }

    /** Closes its files. Those with staged blocks stay for the next process. */
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
