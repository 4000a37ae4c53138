package volsh.engine.sqlite;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * SQLite's write-ahead log as SQLite reads it during recovery: a header, then frames of a page each. Every frame has
 * the salts of the header and a checksum over itself and all frames before it; the last frame of a commit is marked.
 * The first frame that does not match ends the log, and with it every later commit.
 */
record WriteAheadLog(Path path) {
    static final int HEADER_BYTES = 32;
    static final int FRAME_BYTES = 24 + DatabaseFile.PAGE_SIZE;
    private static final int SALTS = 16;
    private static final int SUMS = 24;
    private static final int MAGIC = 0x377f0682;   // with the last bit: sums of big-endian numbers
    private static final int CHUNK = 32;

    /** The number of committed frames of the log with these salts. A restarted log has other salts. */
    record Mark(long salts, int frames) {
        static final Mark NONE = new Mark(0, 0);

        /** Spelled out: every writing command comes here, and a record's own equals is generated on first use. */
        boolean isSame(Mark other) {
            return salts == other.salts && frames == other.frames;
        }
    }

    /**
     * What SQLite would recover from a log.
     *
     * @param headed whether its header matches its checksum; if not, the log counts as empty
     * @param salts as the header has them
     * @param committed how many frames are valid
     * @param foreign how many of the frames after them, as far as requested, have other salts than the header: nothing
     * of this log was written there
     */
    record Contents(boolean headed, long salts, int committed, int foreign) {}

    /** The salts of the current log; 0 if there is none. Leaves the file open. */
    static long salts(RandomAccessFile log) throws IOException {
        byte[] header = new byte[HEADER_BYTES];
        log.seek(0);
        return log.read(header) < HEADER_BYTES ? 0 : ByteBuffer.wrap(header).getLong(SALTS);
    }

    /** Reads the first {@code frames}. */
    Contents read(int frames) throws IOException {
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] header = new byte[HEADER_BYTES];
            file.readFully(header);
            var bytes = ByteBuffer.wrap(header);
            int magic = bytes.getInt(0);
            var sum = new Sum((magic & 1) == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            sum.add(header, 0, SUMS);
            boolean headed = (magic & ~1) == MAGIC && sum.matches(bytes, SUMS);
            long salts = bytes.getLong(SALTS);
            return headed ? chain(file, frames, salts, sum) : new Contents(false, salts, 0, 0);
        } catch (EOFException cut) {
            return new Contents(false, 0, 0, 0);
        }
    }

    private static Contents chain(RandomAccessFile file, int frames, long salts, Sum sum) throws IOException {
        byte[] chunk = new byte[CHUNK * FRAME_BYTES];
        int committed = 0;
        int foreign = 0;
        boolean whole = true;
        for (int first = 1; first <= frames; first += CHUNK) {
            int here = Math.min(CHUNK, frames - first + 1);
            int found = readUpTo(file, chunk, here * FRAME_BYTES) / FRAME_BYTES;
            foreign += here - found;
            var bytes = ByteBuffer.wrap(chunk);
            for (int i = 0; i < found; i++) {
                int at = i * FRAME_BYTES;
                foreign += isNear(bytes.getLong(at + 8), salts) ? 0 : 1;
                whole = whole && bytes.getLong(at + 8) == salts && sum.matchesFrame(chunk, at);
                committed = whole && bytes.getInt(at + 4) != 0 ? first + i : committed;
            }
        }
        return new Contents(true, salts, committed, foreign);
    }

    /** Whether they differ in at most one bit. */
    static boolean isNear(long salts, long others) {
        return Long.bitCount(salts ^ others) <= 1;
    }

    private static int readUpTo(RandomAccessFile file, byte[] target, int length) throws IOException {
        int filled = 0;
        for (int read = 0; filled < length && read >= 0; filled += Math.max(0, read)) {
            read = file.read(target, filled, length - filled);
        }
        return filled;
    }

    /** SQLite's running checksum: two sums, each of which includes the other. */
    static final class Sum {
        private final ByteOrder order;
        private int first;
        private int second;

        Sum(ByteOrder order) {
            this.order = order;
        }

        void add(byte[] bytes, int from, int to) {
            var numbers = ByteBuffer.wrap(bytes).order(order);
            int a = first;
            int b = second;
            for (int i = from; i < to; i += 8) {
                a += numbers.getInt(i) + b;
                b += numbers.getInt(i + 4) + a;
            }
            first = a;
            second = b;
        }

        boolean matches(ByteBuffer stored, int at) {
            return first == stored.getInt(at) && second == stored.getInt(at + 4);
        }

        boolean matchesFrame(byte[] bytes, int at) {
            add(bytes, at, at + 8);
            add(bytes, at + 24, at + FRAME_BYTES);
            return matches(ByteBuffer.wrap(bytes), at + 16);
        }
    }
}
