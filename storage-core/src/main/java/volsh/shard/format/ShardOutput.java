package volsh.shard.format;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;
import volsh.shard.Field;

/**
 * The buffered end of a shard that is being written. Bytes of fields are read straight into its buffer, and a sample
 * smaller than the buffer can be taken back whole when one of its fields turns out to be unreadable.
 */
final class ShardOutput extends OutputStream {
    static final int SIZE = 1 << 20;
    private static final byte[] ZEROS = new byte[1024];

    private final OutputStream target;
    private final byte[] buffer = new byte[SIZE];
    private int used;
    private long flushed;

    ShardOutput(OutputStream target) {
        this.target = target;
    }

    /** How many bytes the shard has so far. */
    long position() {
        return flushed + used;
    }

    /** Begins a sample of about this many bytes: keeps it in the buffer until it is complete, if it fits. */
    long begin(long size) throws IOException {
        if (size > SIZE - used && used > 0) {
            flush();
        }
        return position();
    }

    /** Room for bytes that the caller writes into {@link #array} at the returned index; their content is undefined. */
    int reserve(int count) throws IOException {
        if (count > SIZE - used) {
            flush();
        }
        used += count;
        return used - count;
    }

    byte[] array() {
        return buffer;
    }

    @Override
    public void write(int one) throws IOException {
        buffer[reserve(1)] = (byte) one;
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        for (int done = 0; done < count;) {
            int now = Math.min(count - done, room());
            System.arraycopy(bytes, from + done, buffer, used, now);
            used += now;
            done += now;
        }
    }

    /** At most {@link #SIZE} of them. */
    void zeros(int count) throws IOException {
        int at = reserve(count);
        if (count <= ZEROS.length) {
            System.arraycopy(ZEROS, 0, buffer, at, count);
        } else {
            Arrays.fill(buffer, at, at + count, (byte) 0);
        }
    }

    /**
     * Appends the bytes of the field, and adds them to the checksum. Asks for one byte more than there should be, which
     * spares another read of a file that has not grown.
     */
    void copy(Field field, @Nullable Checksum sum) throws IOException {
        try (var in = new FieldInput(field)) {
            boolean ended = false;
            for (long left = field.size(); left > 0;) {
                int room = room();      // before the index is taken: it may flush
                int wanted = (int) Math.min(left + 1, room);
                int count = in.read(buffer, used, wanted);
                in.requireNoMore(left - count);
                if (sum != null) {
                    sum.update(buffer, used, count);
                }
                used += count;
                left -= count;
                ended = count < wanted;
            }
            if (!ended) {
                in.requireEnd();
            }
        }
    }

    private int room() throws IOException {
        if (used == SIZE) {
            flush();
        }
        return SIZE - used;
    }

    /** Removes what follows {@code start}; what the caller of {@code add} is to be told. */
    IOException takeBack(long start, UnreadableFieldException failed) {
        if (start < flushed) {
            return failed.reason();
        }
        used = (int) (start - flushed);
        return failed.unfit();
    }

    /** Leaves the target unflushed. */
    @Override
    public void flush() throws IOException {
        target.write(buffer, 0, used);
        flushed += used;
        used = 0;
    }

    /** Flushes the target as well. */
    void finish() throws IOException {
        flush();
        target.flush();
    }

    /** Reads a field; its failures are not those of the shard. */
    private static final class FieldInput implements AutoCloseable {
        private final Field field;
        private final InputStream in;

        FieldInput(Field field) throws UnreadableFieldException {
            this.field = field;
            try {
                this.in = field.open();
            } catch (IOException failed) {
                throw new UnreadableFieldException(field, failed);
            }
        }

        /** At least one byte. */
        int read(byte[] target, int from, int count) throws UnreadableFieldException {
            try {
                int done = in.read(target, from, count);
                if (done <= 0) {
                    throw new EOFException("it has fewer than %d bytes".formatted(field.size()));
                }
                return done;
            } catch (IOException failed) {
                throw new UnreadableFieldException(field, failed);
            }
        }

        void requireNoMore(long left) throws UnreadableFieldException {
            if (left < 0) {
                throw new UnreadableFieldException(field, new IOException("it has more than %d bytes"
                        .formatted(field.size())));
            }
        }

        void requireEnd() throws UnreadableFieldException {
            try {
                requireNoMore(in.read() < 0 ? 0 : -1);
            } catch (UnreadableFieldException more) {
                throw more;
            } catch (IOException failed) {
                throw new UnreadableFieldException(field, failed);
            }
        }

        @Override
        public void close() throws UnreadableFieldException {
            try {
                in.close();
            } catch (IOException failed) {
                throw new UnreadableFieldException(field, failed);
            }
        }
    }
}
