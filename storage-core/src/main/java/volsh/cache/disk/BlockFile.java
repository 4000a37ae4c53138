package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.disk.Disk;

/**
 * The file of a cached block: a head, a table with an entry for each frame of the block, and the cached frames in the
 * order in which they were written. Frames written together lie back to back, behind their checksums: one for each
 * {@link FrameUnits unit} of a frame, so that a few bytes of it can be read and checked without the rest. Nothing is
 * ever synced; checksums tell what power loss left.
 *
 * <pre>
 *   head:  magic 4 | frames 4 | block 8 | checksum of these and of the volume 4
 *   entry: position 4 | length 4 | position of its checksums 4 | checksum of them 4
 *          | checksum of volume, block, frame and this entry 4
 *          (zeros: not here)
 * </pre>
 */
final class BlockFile {
    static final int HEAD = 20;
    static final int ENTRY = 20;
    static final int FRAMES_MAX = 1 << 16;
    private static final int MAGIC = 0x76636632;   // "vcf2"

    private final int volume;
    private final long block;

    /**
     * {@code volume} is a number that differs between volumes: a file in the directory of another volume counts as
     * damaged.
     */
    BlockFile(int volume, long block) {
        this.volume = volume;
        this.block = block;
    }

    /** The position of a frame according to the table. */
    record Entry(int position, int length, int sumsPosition, int sumsChecksum) {
        private static final Entry NONE = new Entry(0, 0, 0, 0);

        int end() {
            return position + length;
        }
    }

    /** The file is not as it was written. */
    static final class DamagedException extends IOException {
        DamagedException(String message) {
            super(message);
        }
    }

    static int dataStart(int frameCount) {
        return HEAD + ENTRY * frameCount;
    }

    /** Bytes that a frame takes with its checksums. */
    static int room(int length) {
        return length + FrameUnits.sumsLength(length);
    }

    static int checksum(ByteBuffer bytes) {
        var sum = new CRC32C();
        sum.update(bytes.duplicate());
        return (int) sum.getValue();
    }

    // ---- head

    void putHead(ByteBuffer target, int frameCount) {
        target.put(head(frameCount));
    }

    private ByteBuffer head(int frameCount) {
        var head = ByteBuffer.allocate(HEAD).putInt(MAGIC).putInt(frameCount).putLong(block).putInt(volume);
        return head.putInt(HEAD - 4, checksum(head.flip()));
    }

    /** The number of frames in the table. @throws DamagedException if this is not the file of this block */
    int frameCount(Disk.File file) throws IOException {
        return frameCount(front(file, 0));
    }

    /** Head and table, up to this frame. */
    private ByteBuffer front(Disk.File file, int frames) throws IOException {
        var front = ByteBuffer.allocate(dataStart(frames));
        if (file.read(front, 0) < front.capacity()) {
            throw new DamagedException("block %d: its cache file is cut short".formatted(block));
        }
        return front.flip();
    }

    private int frameCount(ByteBuffer front) throws DamagedException {
        int frames = front.getInt(4);
        if (frames <= 0 || frames > FRAMES_MAX || !front.slice(0, HEAD).equals(head(frames))) {
            throw new DamagedException("block %d: its cache file has no head".formatted(block));
        }
        return frames;
    }

    // ---- table

    void putEntry(ByteBuffer target, int frame, Entry entry) {
        target.putInt(entry.position()).putInt(entry.length()).putInt(entry.sumsPosition())
                .putInt(entry.sumsChecksum());
        target.putInt(seal(frame, entry));
    }

    private int seal(int frame, Entry entry) {
        var bytes = ByteBuffer.allocate(32).putInt(volume).putLong(block).putInt(frame)
                .putInt(entry.position()).putInt(entry.length()).putInt(entry.sumsPosition())
                .putInt(entry.sumsChecksum());
        return checksum(bytes.flip());
    }

    /** The entries of all frames; null for those that are not cached. @throws DamagedException */
    @Nullable Entry[] table(Disk.File file) throws IOException {
        return entries(file, 0, frameCount(file));
    }

    /** The entries of some frames; null for those that are not cached. @throws DamagedException */
    @Nullable Entry[] entries(Disk.File file, int first, int count) throws IOException {
        var front = front(file, first + count);
        if (frameCount(front) < first + count) {
            throw new DamagedException("block %d: its cache file has no frame %d".formatted(block, first + count - 1));
        }
        front.position(dataStart(first));
        var entries = new @Nullable Entry[count];
        for (int i = 0; i < count; i++) {
            entries[i] = entry(front, first + i);
        }
        return entries;
    }

    private @Nullable Entry entry(ByteBuffer table, int frame) throws DamagedException {
        var entry = new Entry(table.getInt(), table.getInt(), table.getInt(), table.getInt());
        int seal = table.getInt();
        if (seal == 0 && entry.equals(Entry.NONE)) {
            return null;
        }
        if (seal != seal(frame, entry) || entry.position() < 0 || entry.length() <= 0) {
            throw new DamagedException("block %d: the entry of frame %d is damaged".formatted(block, frame));
        }
        return entry;
    }

    // ---- frames

    /**
     * Writes the checksums of a frame into the target; returns the entry of a frame and checksums at these positions.
     */
    static Entry sum(ByteBuffer frame, int position, ByteBuffer target, int sumsPosition) {
        int start = target.position();
        FrameUnits.putSums(frame, target);
        return new Entry(position, frame.remaining(), sumsPosition,
                checksum(target.slice(start, target.position() - start)));
    }

    /** The checksums of a frame. @throws DamagedException if they are not what was written */
    int[] sums(Disk.File file, int frame, Entry entry) throws IOException {
        if (entry.length() > file.size()) {
            throw new DamagedException("block %d: a frame of %d bytes in a file of %d"
                    .formatted(block, entry.length(), file.size()));
        }
        var bytes = ByteBuffer.allocate(FrameUnits.sumsLength(entry.length()));
        boolean whole = file.read(bytes, entry.sumsPosition()) == bytes.capacity();
        if (!whole || checksum(bytes.flip()) != entry.sumsChecksum()) {
            throw new DamagedException("block %d: the checksums of frame %d are damaged".formatted(block, frame));
        }
        var sums = new int[bytes.remaining() / Integer.BYTES];
        bytes.asIntBuffer().get(sums);
        return sums;
    }

    /** Reads the bytes of a file from {@code position} on. @throws DamagedException if it has fewer */
    void read(Disk.File file, int position, ByteBuffer target) throws IOException {
        int wanted = target.remaining();
        if (file.read(target, position) < wanted) {
            throw new DamagedException("block %d: its cache file ends too soon".formatted(block));
        }
    }

    /** Checks units of a frame from {@code first} on. @throws DamagedException if they are not what was written */
    void check(int frame, Entry entry, int[] sums, int first, ByteBuffer bytes) throws DamagedException {
        if (!FrameUnits.areRight(entry.length(), sums, first, bytes)) {
            throw new DamagedException("block %d: frame %d is damaged".formatted(block, frame));
        }
    }
}
