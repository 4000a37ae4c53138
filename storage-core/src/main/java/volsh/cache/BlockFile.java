package volsh.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import volsh.disk.Disk;

/**
 * The file of a cached block: a head, a table with an entry for each frame of the block, and the frames that are here, in the
 * order they came. Nothing is ever synced; what power loss leaves of it is found out by checksums.
 *
 * <pre>
 *   head:  magic 4 | frames 4 | block 8 | checksum of these 4
 *   entry: position 4 | length 4 | checksum of the frame 4 | checksum of block, frame and this entry 4     (zeros: not here)
 * </pre>
 */
final class BlockFile {
    static final int HEAD = 20;
    static final int ENTRY = 16;
    static final int FRAMES_MAX = 1 << 16;
    private static final int MAGIC = 0x76636631;   // "vcf1"

    private final long block;

    BlockFile(long block) {
        this.block = block;
    }

    /** Where a frame lies, as the table says. */
    record Entry(int position, int length, int checksum) {}

    /** A table entry that nobody wrote. */
    static final class DamagedException extends IOException {
        DamagedException(String message) {
            super(message);
        }
    }

    static int dataStart(int frameCount) {
        return HEAD + ENTRY * frameCount;
    }

    static int checksum(ByteBuffer bytes) {
        var sum = new CRC32C();
        sum.update(bytes.duplicate());
        return (int) sum.getValue();
    }

    void putHead(ByteBuffer target, int frameCount) {
        target.put(head(frameCount));
    }

    private ByteBuffer head(int frameCount) {
        var head = ByteBuffer.allocate(HEAD).putInt(MAGIC).putInt(frameCount).putLong(block);
        return head.putInt(checksum(head.duplicate().flip())).flip();
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

    void putEntry(ByteBuffer target, int frame, Entry entry) {
        target.putInt(entry.position()).putInt(entry.length()).putInt(entry.checksum()).putInt(seal(frame, entry));
    }

    private int seal(int frame, Entry entry) {
        var bytes = ByteBuffer.allocate(24).putLong(block).putInt(frame)
                .putInt(entry.position()).putInt(entry.length()).putInt(entry.checksum());
        return checksum(bytes.flip());
    }

    /** What the table says of some frames; null for each that is not here. @throws DamagedException */
    Entry[] entries(Disk.File file, int first, int count) throws IOException {
        var front = front(file, first + count);
        if (frameCount(front) < first + count) {
            throw new DamagedException("block %d: its cache file has no frame %d".formatted(block, first + count - 1));
        }
        front.position(dataStart(first));
        var entries = new Entry[count];
        for (int i = 0; i < count; i++) {
            entries[i] = entry(front, first + i);
        }
        return entries;
    }

    private Entry entry(ByteBuffer table, int frame) throws DamagedException {
        var entry = new Entry(table.getInt(), table.getInt(), table.getInt());
        int seal = table.getInt();
        if (seal == 0 && entry.equals(new Entry(0, 0, 0))) {
            return null;
        }
        if (seal != seal(frame, entry) || entry.position() < 0 || entry.length() <= 0) {
            throw new DamagedException("block %d: the entry of frame %d is damaged".formatted(block, frame));
        }
        return entry;
    }

    /** Fills the target with the frame. @throws DamagedException if it is not what was written */
    void read(Disk.File file, int frame, Entry entry, ByteBuffer target) throws IOException {
        var view = target.slice();
        boolean whole = entry.length() == view.limit() && file.read(view.duplicate(), entry.position()) == entry.length();
        if (!whole || checksum(view) != entry.checksum()) {
            throw new DamagedException("block %d: frame %d is damaged".formatted(block, frame));
        }
    }
}
