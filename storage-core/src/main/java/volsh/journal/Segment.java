package volsh.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.disk.Disk;
import volsh.disk.Shared;

/** One file of a journal: a sequence of entries, written by one process in order; what is synced is a prefix of it. */
final class Segment {
    private static final int PIECE = 1 << 18;

    private final Path path;
    private final UUID journal;
    private final Disk disk;
    private final Disk.@Nullable File file;   // null if it is only read
    private final Shared sync;
    private final Optional<Object> identity;   // of the file; empty if another process wrote it
    private long end;
    private int staged;
    private boolean damaged;

    private Segment(Path path, UUID journal, Disk disk, Disk.@Nullable File file, Optional<Object> identity) {
        this.path = path;
        this.journal = journal;
        this.disk = disk;
        this.file = file;
        this.identity = identity;
        this.sync = new Shared(() -> written().sync());
    }

    /** Creates a segment whose name survives power loss. */
    static Segment create(Path path, UUID journal, Disk disk) throws IOException {
        var file = disk.create(path);
        try {
            disk.syncDirectory(Disk.directoryOf(path));
            return new Segment(path, journal, disk, file, identity(path, disk));
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    private static Optional<Object> identity(Path path, Disk disk) throws IOException {
        return disk.stamp(path).map(Disk.Stamp::file);
    }

    /** A segment of another process; nothing is added to it. */
    static Segment left(Path path, UUID journal, Disk disk) {
        return new Segment(path, journal, disk, null, Optional.empty());
    }

    private Disk.File written() {
        return Objects.requireNonNull(file, "a segment that another process wrote is only read");
    }

    /** Appends an entry. It survives power loss only after {@link #sync}. One caller at a time. */
    Entry append(long block, ByteBuffer payload) throws IOException {
        var entry = new Entry(block, payload.remaining(), end, Entry.checksum(payload));
        written().write(entry.toBytes(journal), entry.position());
        written().write(payload.duplicate(), entry.payloadPosition());
        end = entry.next();
        staged++;
        return entry;
    }

    /**
     * Makes everything appended before the call survive power loss, where the next process looks for it.
     *
     * @throws MisplacedException if the file is no longer at its path: the next process would not find it
     */
    void sync() throws IOException {
        sync.run();
        if (!isInPlace()) {
            throw new MisplacedException(path);
        }
    }

    /** Whether the path still refers to the file being written. */
    boolean isInPlace() throws IOException {
        return file == null || identity(path, disk.byName()).equals(identity);
    }

    /** Bytes of the payload from {@code offset} on. Opens the file again: an interrupted thread closes only its own. */
    int read(Entry entry, long offset, ByteBuffer target) throws IOException {
        if (offset >= entry.length()) {
            return 0;
        }
        int wanted = (int) Math.min(target.remaining(), entry.length() - offset);
        int limit = target.limit();
        target.limit(target.position() + wanted);
        if (!isInPlace()) {
            return readOpen(target, limit, entry.payloadPosition() + offset);
        }
        try (var reading = disk.open(path)) {
            return reading.read(target, entry.payloadPosition() + offset);
        } finally {
            target.limit(limit);
        }
    }

    /** Reads through the writing descriptor: the file was moved away or replaced. */
    private int readOpen(ByteBuffer target, int limit, long position) throws IOException {
        try {
            return written().read(target, position);
        } finally {
            target.limit(limit);
        }
    }

    /** Whether the bytes of this entry are the ones that were staged. */
    boolean isIntact(Entry entry) throws IOException {
        var crc = new CRC32C();
        var piece = ByteBuffer.allocate(Math.min(PIECE, entry.length()));
        for (long at = 0; at < entry.length(); at += piece.limit()) {
            piece.clear().limit((int) Math.min(piece.capacity(), entry.length() - at));
            if (read(entry, at, piece) < piece.limit()) {
                return false;
            }
            crc.update(piece.flip());
        }
        return (int) crc.getValue() == entry.payloadChecksum();
    }

    /** The entries of a file of another process. Anything else that is not just empty marks it as damaged. */
    List<Entry> scan() throws IOException {
        var found = new ArrayList<Entry>();
        try (var reading = disk.open(path)) {
            long size = reading.size();
            var header = ByteBuffer.allocate(Entry.HEADER_LENGTH);
            for (long at = 0; at + Entry.HEADER_LENGTH <= size; ) {
                reading.read(header.clear(), at);
                var entry = Entry.parse(journal, at, header.flip());
                entry.ifPresent(found::add);
                damaged |= entry.isEmpty() && !isEmpty(header);
                at = entry.map(Entry::next).orElse(at + Entry.ALIGNMENT);
            }
            end = size;
        }
        staged = found.size();
        return found;
    }

    private static boolean isEmpty(ByteBuffer header) {
        return header.getLong(0) == 0 && header.getLong(8) == 0 && header.getLong(16) == 0 && header.getLong(24) == 0;
    }

    /** Bytes of the file. */
    long size() {
        return end;
    }

    /** Releases one entry; returns how many are left. */
    int release() {
        return --staged;
    }

    int staged() {
        return staged;
    }

    /** Whether it contains unreadable bytes. It is kept then. */
    boolean isDamaged() {
        return damaged;
    }

    void markDamaged() {
        damaged = true;
    }

    Path path() {
        return path;
    }

    void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** Need not survive power loss: a block that is staged again is stored again, with the same bytes. */
    void delete() throws IOException {
        boolean ours = isInPlace();
        close();
        if (ours) {
            disk.delete(path);
        }
    }
}
