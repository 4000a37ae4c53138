package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.vfs.OpenFile;

/** Writes files of a volume to channels: small ones at once, large ones with parts read ahead. */
final class Outflow {
    private static final int SMALL_BYTES = 1 << 20;
    private static final int PART_BYTES_MAX = 4 << 20;
    /** The memory of all reads ahead that run at the same time, per part under way. */
    private static final int AHEAD_BYTES = 16 << 20;
    /** Larger writes would be cached in huge pages, which are slow on first use in virtual machines. */
    private static final int WRITE_BYTES = 1 << 20;

    private final TransferTally tally;
    private final int partBytes;
    private final ThreadLocal<ByteBuffer> buffers = Buffers.perThread(SMALL_BYTES);

    /** For {@code parallel} threads at the same time. */
    Outflow(TransferTally tally, int parallel) {
        this.tally = tally;
        this.partBytes = Math.clamp(AHEAD_BYTES / parallel, SMALL_BYTES, PART_BYTES_MAX);
    }

    /** Takes pieces of a file as they arrive; may use the buffer until it returns. */
    interface Sink {
        void take(long offset, ByteBuffer piece) throws IOException;

        /** Takes all pieces of a part, which begins at {@code offset}. */
        default void takeAll(long offset, ReadAhead.Part part) throws IOException {
            long at = offset;
            for (var piece : part.pieces()) {
                int count = piece.remaining();
                take(at, piece);
                at += count;
            }
        }
    }

    /** The order in which a sink gets the parts of a file: that of the file, or any, from several threads. */
    private enum Order { AS_THEY_ARE, ANY }

    private static final Sink NOWHERE = (offset, piece) -> { };

    /** Copies the whole file to a channel, holes staying holes. */
    void copy(OpenFile file, Attributes attributes, FileChannel target) throws IOException {
        long end = copy(file, attributes, Order.ANY, (offset, part) -> write(target, offset, part));
        if (end < attributes.size()) {
            write(target, attributes.size() - 1, ByteBuffer.allocate(1));   // the file ends with a hole
        }
    }

    /** Passes data to the sink and leaves holes out; returns where the last data ends. */
    long copy(OpenFile file, Attributes attributes, Sink sink) throws IOException {
        return copy(file, attributes, Order.AS_THEY_ARE, sink);
    }

    private long copy(OpenFile file, Attributes attributes, Order order, Sink sink) throws IOException {
        long size = attributes.size();
        if (attributes.allocated() >= size) {
            range(file, 0, size, order, sink);
            return size;
        }
        long end = 0;
        for (long from = data(file, 0, size); from < size; from = data(file, end, size)) {
            end = Math.min(size, file.seekHole(from));
            range(file, from, end, order, sink);
        }
        return end;
    }

    /** The next byte that is data, from {@code offset} on; {@code size} if there is none. */
    private static long data(OpenFile file, long offset, long size) throws IOException {
        try {
            return offset >= size ? size : file.seekData(offset);
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_MORE) {
                return size;
            }
            throw refused;
        }
    }

    private static void write(FileChannel target, long offset, ByteBuffer part) throws IOException {
        int end = part.limit();
        for (long at = offset; part.position() < end; ) {
            part.limit(Math.min(end, part.position() + WRITE_BYTES));
            at += target.write(part, at);
        }
    }

    /** Sends the whole file, with zeros for its holes; returns the number of bytes. */
    long stream(OpenFile file, long size, WritableByteChannel target) throws IOException {
        return range(file, 0, size, Order.AS_THEY_ARE, (offset, part) -> {
            while (part.hasRemaining()) {
                target.write(part);
            }
        });
    }

    /** Passes the bytes of {@code [from, to)} to the sink, fewer if the file is shorter; returns how many. */
    private long range(OpenFile file, long from, long to, Order order, Sink sink) throws IOException {
        if (to - from <= SMALL_BYTES) {
            return small(file, from, (int) (to - from), sink);
        }
        long at = from;
        try (var ahead = new ReadAhead(file, from, to, partBytes, order == Order.ANY ? sink : NOWHERE)) {
            int count;
            do {
                try (var part = ahead.next()) {
                    tally.check();
                    if (order == Order.AS_THEY_ARE) {
                        sink.takeAll(at, part);
                    }
                    count = part.length();
                }
                at += count;
                tally.moved(count);
            } while (count > 0);
        }
        return at - from;
    }

    private int small(OpenFile file, long from, int length, Sink sink) throws IOException {
        tally.check();
        var buffer = buffers.get().clear().limit(length);
        int count = file.read(from, buffer);
        sink.take(from, buffer.flip());
        tally.moved(count);
        return count;
    }
}
