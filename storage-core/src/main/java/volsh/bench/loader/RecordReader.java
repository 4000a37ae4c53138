package volsh.bench.loader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Records as written by TensorFlow: length, its masked checksum, bytes, their masked checksum. Both checksums are
 * verified, as TensorFlow does.
 */
final class RecordReader implements Samples.Reader {
    private static final int MASK = 0xa282ead8;

    private final Window in;

    RecordReader(Path shard) throws IOException {
        this.in = new Window(shard);
    }

    @Override
    public long next() throws IOException {
        if (in.atEnd()) {
            return END;
        }
        byte[] length = in.take(Long.BYTES);
        var sum = new CRC32C();
        sum.update(length);
        require(sum);
        long bytes = little(length).getLong();
        sum.reset();
        in.pass(bytes, sum);
        require(sum);
        return bytes;
    }

    private void require(CRC32C sum) throws IOException {
        if (little(in.take(Integer.BYTES)).getInt() != masked(sum)) {
            throw new IOException("%s is not a record file, or is corrupt".formatted(in.path()));
        }
    }

    /** The checksum as it is stored. */
    static int masked(CRC32C sum) {
        int value = (int) sum.getValue();
        return (value >>> 15 | value << 17) + MASK;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
