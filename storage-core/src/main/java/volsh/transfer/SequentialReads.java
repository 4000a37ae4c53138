package volsh.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import volsh.vfs.OpenFile;

/**
 * Reads files of a volume sequentially, a few parts at a time, so that a computation over all bytes need not wait for
 * them.
 */
public final class SequentialReads {
    private static final int SMALL = 1 << 20;
    private static final int PART = 4 << 20;
    private static final Taking IGNORED = (offset, piece) -> { };

    private SequentialReads() {}

    /** Takes bytes of a file; may use the buffer until it returns. */
    public interface Taking {
        void take(long offset, ByteBuffer piece) throws IOException;

        /** Takes pieces that were read together; the first one begins at {@code offset}. */
        default void takeAll(long offset, List<ByteBuffer> pieces) throws IOException {
            long at = offset;
            for (var piece : pieces) {
                int count = piece.remaining();
                take(at, piece.duplicate());
                at += count;
            }
        }
    }

    /** Passes all bytes to {@code taking} in order; returns how many. */
    public static long inOrder(OpenFile file, long size, Taking taking) throws IOException {
        return inOrder(file, size, IGNORED, taking);
    }

    /**
     * The same; the pieces of each part are passed to {@code early} first, by the thread that read it, in any order,
     * several parts at a time.
     */
    public static long inOrder(OpenFile file, long size, Taking early, Taking taking) throws IOException {
        return size <= SMALL ? small(file, (int) size, early, taking) : large(file, size, early, taking);
    }

    private static long small(OpenFile file, int size, Taking early, Taking taking) throws IOException {
        var bytes = ByteBuffer.allocateDirect(size);
        int count = file.read(0, bytes);
        if (count > 0) {
            early.takeAll(0, List.of(bytes.flip()));
            taking.take(0, bytes);
        }
        return count;
    }

    private static long large(OpenFile file, long size, Taking early, Taking taking) throws IOException {
        long at = 0;
        try (var ahead = new ReadAhead(file, 0, size, PART, new Outflow.Sink() {
            @Override
            public void take(long offset, ByteBuffer piece) throws IOException {
                early.take(offset, piece);
            }

            @Override
            public void takeAll(long offset, ReadAhead.Part part) throws IOException {
                early.takeAll(offset, part.pieces());
            }
        })) {
            for (int count = -1; count != 0; at += count) {
                try (var part = ahead.next()) {
                    long from = at;
                    for (var piece : part.pieces()) {
                        int length = piece.remaining();
                        taking.take(from, piece);
                        from += length;
                    }
                    count = part.length();
                }
            }
        }
        return at;
    }
}
