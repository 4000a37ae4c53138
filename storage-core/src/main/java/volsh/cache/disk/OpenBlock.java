package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import volsh.disk.Disk;

/**
 * The open file of a block and its table. Bytes are checked each time they are read; the table and the checksums of
 * frames only when they were read from the disk. Used by several threads at a time. Close it to return it.
 */
final class OpenBlock implements AutoCloseable {
    private final OpenBlocks home;
    private final BlockFile form;
    private final Disk.File file;
    private final Disk.Stamp stamp;
    private final BlockFile.@Nullable Entry[] table;
    private final AtomicReferenceArray<int[]> sums;
    // used by the owner and guarded by its lock
    int users = 1;
    boolean leaving;

    /** {@code stamp} is that of the file before it was opened. */
    OpenBlock(OpenBlocks home, BlockFile form, Disk.File file, Disk.Stamp stamp) throws IOException {
        this.home = home;
        this.form = form;
        this.file = file;
        this.stamp = stamp;
        this.table = form.table(file);
        this.sums = new AtomicReferenceArray<>(table.length);
    }

    boolean isStill(Disk.Stamp now) {
        return stamp.equals(now);
    }

    Disk.File file() {
        return file;
    }

    /**
     * The entry of a frame; null if it is not cached.
     *
     * @throws BlockFile.DamagedException if the block has no such frame
     */
    private BlockFile.@Nullable Entry entry(int frame, int length) throws IOException {
        if (frame >= table.length || table[frame] != null && table[frame].length() != length) {
            throw new BlockFile.DamagedException("a cache file without a frame %d of %d bytes"
                    .formatted(frame, length));
        }
        return table[frame];
    }

    /** Of a frame that is here. */
    private BlockFile.Entry here(int frame) {
        return Objects.requireNonNull(table[frame]);
    }

    private int[] sums(int frame) throws IOException {
        var known = sums.get(frame);
        if (known == null) {
            known = form.sums(file, frame, here(frame));
            sums.set(frame, known);
        }
        return known;
    }

    /** The position of the frame in the file; negative if it is not cached. */
    int position(int frame) {
        return frame < table.length && table[frame] != null ? table[frame].position() : -1;
    }

    /**
     * Reads the frames from {@code first} on into {@code stored}, back to back; frames that are neighbours in the file,
     * too, with one read. Sets in {@code here} which are cached.
     */
    void read(int first, int[] lengths, ByteBuffer stored, boolean[] here) throws IOException {
        int at = stored.position();
        for (int i = 0; i < lengths.length; ) {
            if (entry(first + i, lengths[i]) == null) {
                at += lengths[i++];
                continue;
            }
            int last = i;
            int length = lengths[i];
            while (last + 1 < lengths.length && follows(first + last, lengths[last + 1])) {
                length += lengths[++last];
            }
            form.read(file, here(first + i).position(), stored.slice(at, length));
            for (; i <= last; i++) {
                form.check(first + i, here(first + i), sums(first + i), 0, stored.slice(at, lengths[i]));
                at += lengths[i];
                here[i] = true;
            }
        }
    }

    /** Whether the next frame lies right behind this one. */
    private boolean follows(int frame, int nextLength) throws IOException {
        var next = entry(frame + 1, nextLength);
        return next != null && next.position() == here(frame).end();
    }

    /**
     * Reads the bytes of a frame from {@code from} on; false if it is not cached. {@code spare} is memory for units
     * that are read in part.
     */
    boolean readPiece(int frame, int length, int from, ByteBuffer target, ByteBuffer spare) throws IOException {
        var entry = entry(frame, length);
        if (entry == null) {
            return false;
        }
        int first = FrameUnits.at(length, from);
        int begin = FrameUnits.start(length, first);
        int end = FrameUnits.start(length, FrameUnits.at(length, from + target.remaining() - 1) + 1);
        boolean exact = begin == from && end - begin == target.remaining() && target.isDirect();
        var units = exact ? target.slice() : spare.slice(0, end - begin);
        var known = sums(frame);
        form.read(file, entry.position() + begin, units.duplicate());
        form.check(frame, entry, known, first, units);
        if (exact) {
            target.position(target.limit());
        } else {
            target.put(units.slice(from - begin, target.remaining()));
        }
        return true;
    }

    /** Closes the file. */
    void end() throws IOException {
        file.close();
    }

    @Override
    public void close() {
        home.giveBack(this);
    }
}
