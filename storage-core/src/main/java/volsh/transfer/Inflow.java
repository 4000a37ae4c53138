package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/** Fills files without a name, which the caller then places or drops. Parts that are all zeros become holes. */
final class Inflow {
    /** The expected size of a stream, which may never end. */
    static final long UNKNOWN = Long.MAX_VALUE;

    private static final int PART_BYTES = 128 << 10;
    /** Smaller blocks are not worth a thread each. */
    private static final int BLOCK_BYTES_MIN = 1 << 20;

    private final Vfs vfs;
    private final TransferTally tally;
    private final ThreadLocal<ByteBuffer> buffers = Buffers.perThread(PART_BYTES);

    Inflow(Vfs vfs, TransferTally tally) {
        this.vfs = vfs;
        this.tally = tally;
    }

    /** Decides whether a file filled with {@code bytes} bytes is to be placed, and places it. */
    interface Placing {
        boolean place(OpenFile file, long size) throws IOException;
    }

    /**
     * Copies the channel into a new file for this directory and has it placed; stops reading after {@code expected}
     * bytes, because a growing file may never end. A file that is not placed is removed.
     *
     * @throws UnreadableException if the channel cannot be read
     */
    boolean copy(ReadableByteChannel source, long expected, long parent, int mode, Owner owner, Placing placing)
            throws IOException {
        try (var file = vfs.createUnnamed(parent, mode, owner)) {
            boolean placed = false;
            try {
                placed = placing.place(file, fill(file, source, expected));
            } finally {
                if (!placed) {
                    file.truncate(0);   // else closing it would flush bytes that are not needed
                }
            }
            return placed;
        }
    }

    private long fill(OpenFile file, ReadableByteChannel source, long expected) throws IOException {
        boolean seekable = expected != UNKNOWN;   // a FileChannel may be of a pipe
        if (seekable && source instanceof FileChannel whole && expected / file.blockSize() > 1
                && file.blockSize() >= BLOCK_BYTES_MIN) {
            return fill(file, whole, expected);
        }
        return append(file, source, 0, expected);
    }

    /** Stores whole blocks in parallel as far as they are all data; the other blocks, and what follows, in order. */
    private long fill(OpenFile file, FileChannel source, long expected) throws IOException {
        int count = (int) Math.min(expected / file.blockSize(), Integer.MAX_VALUE);
        long end = (long) count * file.blockSize();
        for (long start : file.take(count, (offset, target) -> isTaken(source, offset, target, file.blockSize()))) {
            if (append(file, source.position(start), start, start + file.blockSize() - 1) < start + file.blockSize()) {
                return start;   // the file was truncated
            }
        }
        return append(file, source.position(end), end, expected);
    }

    private boolean isTaken(FileChannel source, long offset, ByteBuffer target, int block) throws IOException {
        tally.check();
        try {
            while (target.hasRemaining() && source.read(target, offset + target.position()) >= 0) {
                // short only at its end
            }
        } catch (ClosedByInterruptException stop) {
            throw stop;
        } catch (IOException unreadable) {
            throw new UnreadableException(unreadable);
        }
        if (target.hasRemaining() || hasZeros(target)) {
            return false;
        }
        if ((offset + target.position()) % block == 0) {   // a declined block was not stored
            tally.moved(block);
        }
        return true;
    }

    /** Whether a part of the bytes read is all zeros. */
    private static boolean hasZeros(ByteBuffer read) {
        for (int at = 0; at < read.position(); at += PART_BYTES) {
            if (Zeros.only(read.slice(at, Math.min(PART_BYTES, read.position() - at)))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Writes the rest of the source from {@code from} on; stops when the file has more than {@code last} bytes. Returns
     * its size.
     */
    private long append(OpenFile file, ReadableByteChannel source, long from, long last) throws IOException {
        var buffer = buffers.get();
        long size = from;
        boolean endsWithHole = false;
        while (size <= last) {
            tally.check();
            read(source, buffer.clear());
            int count = buffer.flip().remaining();
            if (count == 0) {
                break;
            }
            endsWithHole = Zeros.only(buffer);
            if (!endsWithHole) {
                file.write(size, buffer);
            }
            size += count;
            tally.moved(count);
        }
        if (endsWithHole) {
            file.allocate(0, size, false);
        }
        return size;
    }

    /** Reads until the buffer is full or the source ends. */
    private static void read(ReadableByteChannel source, ByteBuffer buffer) throws IOException {
        try {
            while (buffer.hasRemaining() && source.read(buffer) >= 0) {
                // a pipe may return less than asked for
            }
        } catch (ClosedByInterruptException stop) {
            throw stop;
        } catch (IOException unreadable) {
            throw new UnreadableException(unreadable);
        }
    }
}
