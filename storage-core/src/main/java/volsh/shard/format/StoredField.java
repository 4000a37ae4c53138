package volsh.shard.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.shard.DamagedShardException;
import volsh.shard.Field;

/**
 * A field whose bytes lie in a shard as they are.
 *
 * @param sum what the CRC-32C of its bytes must be, or null if the format has none for a field
 */
record StoredField(String name, long size, long offset, ShardWindow window, @Nullable Integer sum) implements Field {
    StoredField(String name, long size, long offset, ShardWindow window) {
        this(name, size, offset, window, null);
    }

    @Override
    public InputStream open() throws IOException {
        if (size == 0 && sum != null && sum != 0) {
            throw wrongSum();
        }
        return new Bytes();
    }

    private DamagedShardException wrongSum() {
        return new DamagedShardException(offset, "the checksum of field '%s' is wrong".formatted(name));
    }

    /** The stream. Reads of its owner and of other fields may move the window in between. */
    private final class Bytes extends InputStream {
        private final @Nullable CRC32C actual = sum == null ? null : new CRC32C();
        private final int expected = sum == null ? 0 : sum;
        private long done;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            Objects.checkFromIndexSize(from, length, target.length);
            if (length == 0) {
                return 0;
            }
            if (done == size) {
                return -1;
            }
            int wanted = (int) Math.min(length, size - done);
            int now = window.read(offset + done, target, from, wanted);
            if (now < 0) {
                now = window.some(offset + done, wanted);
                System.arraycopy(window.array(), window.index(offset + done), target, from, now);
            }
            passed(target, from, now);
            return now;
        }

        @Override
        public long transferTo(OutputStream out) throws IOException {
            long before = done;
            while (done < size) {
                int now = window.some(offset + done, size - done);
                int from = window.index(offset + done);
                passed(window.array(), from, now);
                out.write(window.array(), from, now);
            }
            return done - before;
        }

        @Override
        public long skip(long count) throws IOException {
            if (actual != null) {
                return super.skip(count);   // a checksum needs all bytes
            }
            long now = Math.clamp(count, 0, size - done);
            done += now;
            return now;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, size - done);
        }

        private void passed(byte[] bytes, int from, int count) throws IOException {
            if (count <= 0) {
                throw new DamagedShardException(offset + done, "the file became shorter while it was read");
            }
            done += count;
            if (actual != null) {
                actual.update(bytes, from, count);
                if (done == size && (int) actual.getValue() != expected) {
                    throw wrongSum();
                }
            }
        }
    }
}
