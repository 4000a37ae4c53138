package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ReadableByteChannel;
import volsh.fs.Owner;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;

/**
 * Fills files without a name, which whoever asked for them then places or forgets. Parts that are all zeros become
 * holes.
 */
final class Inflow {
    private static final int PART_BYTES = 128 << 10;

    private final Vfs vfs;
    private final Tally tally;
    private final ThreadLocal<ByteBuffer> buffers = Buffers.perThread(PART_BYTES);

    Inflow(Vfs vfs, Tally tally) {
        this.vfs = vfs;
        this.tally = tally;
    }

    /** Says whether the file, filled with so many bytes, is to be placed; places it if so. */
    interface Placing {
        boolean place(OpenFile file, long size) throws IOException;
    }

    /**
     * Copies the channel into a new file and has it placed; stops reading beyond {@code expected} bytes, for a file
     * that grows may never end. What is not placed is gone. @throws UnreadableException about the channel
     */
    boolean copy(ReadableByteChannel source, long expected, int mode, Owner owner, Placing placing) throws IOException {
        try (var file = vfs.createUnnamed(mode, owner)) {
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
        var buffer = buffers.get();
        long size = 0;
        boolean endsWithHole = false;
        while (size <= expected) {
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
            file.truncate(size);
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
