package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/**
 * Fills files without a name, which whoever asked for them then places or forgets. Parts that are all zeros become
 * holes.
 */
final class Inflow {
    /** Bytes that are expected of a stream, which may never end. */
    static final long UNKNOWN = Long.MAX_VALUE;

    private static final int PART_BYTES = 128 << 10;
    /** Blocks that are smaller are not worth a thread each. */
    private static final int BLOCK_BYTES_MIN = 1 << 20;

    private final Vfs vfs;
    private final TransferTally tally;
    private final ThreadLocal<ByteBuffer> buffers = Buffers.perThread(PART_BYTES);

    Inflow(Vfs vfs, TransferTally tally) {
        this.vfs = vfs;
        this.tally = tally;
    }

    /** Says whether the file, filled with so many bytes, is to be placed; places it if so. */
    interface Placing {
        boolean place(OpenFile file, long size) throws IOException;
    }

    /**
     * Copies the channel into a new file for this directory and has it placed; stops reading beyond {@code expected} bytes, for a file
     * that grows may never end. What is not placed is gone. @throws UnreadableException about the channel
     */
    boolean copy(ReadableByteChannel source, long expected, long parent, int mode, Owner owner, Placing placing) throws IOException {
        try (var file = vfs.createUnnamed(parent, mode, owner)) {
            boolean placed = false;
            try {
                placed = placing.place(file, fill(file, source, expected));
            } finally {
                if (!placed) {
                    file.truncate(0);   // else closing it would write out what nobody wants
                }
            }
            return placed;
        }
    }

    private long fill(OpenFile file, ReadableByteChannel source, long expected) throws IOException {
        boolean seekable = expected != UNKNOWN;   // the channel of a pipe may call itself one of a file
        if (seekable && source instanceof FileChannel whole && expected / file.blockSize() > 1 && file.blockSize() >= BLOCK_BYTES_MIN) {
            return fill(file, whole, expected);
        }
        return append(file, source, 0, expected);
    }

    /** Whole blocks side by side, as far as they are all data; the others, and what is behind them, in turn. */
    private long fill(OpenFile file, FileChannel source, long expected) throws IOException {
        int count = (int) Math.min(expected / file.blockSize(), Integer.MAX_VALUE);
        long end = (long) count * file.blockSize();
        for (long start : file.take(count, (offset, target) -> isTaken(source, offset, target, file.blockSize()))) {
            if (append(file, source.position(start), start, start + file.blockSize() - 1) < start + file.blockSize()) {
                return start;   // it has become shorter
            }
        }
        return append(file, source.position(end), end, expected);
    }

    private boolean isTaken(FileChannel source, long offset, ByteBuffer target, int block) throws IOException {
        tally.check();
        try {
            while (target.hasRemaining() && source.read(target, offset + target.position()) >= 0) {
                // less than asked for only at its end
            }
        } catch (ClosedByInterruptException stop) {
            throw stop;
        } catch (IOException unreadable) {
            throw new UnreadableException(unreadable);
        }
        if (target.hasRemaining() || hasZeros(target)) {
            return false;
        }
        if ((offset + target.position()) % block == 0) {   // of a block that is declined nothing was moved
            tally.moved(block);
        }
        return true;
    }

    /** Is a part of what was read all zeros? */
    private static boolean hasZeros(ByteBuffer read) {
        for (int at = 0; at < read.position(); at += PART_BYTES) {
            if (Zeros.only(read.slice(at, Math.min(PART_BYTES, read.position() - at)))) {
                return true;
            }
        }
        return false;
    }

    /** Writes what the source still has to {@code from} on; stops when the file has more than {@code last} bytes. Returns what it has then. */
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
                // a pipe gives less than asked for
            }
        } catch (ClosedByInterruptException stop) {
            throw stop;
        } catch (IOException unreadable) {
            throw new UnreadableException(unreadable);
        }
    }
}
