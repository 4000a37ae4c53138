package volsh.dataset;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32C;

/** Counts the bytes that pass, with a checksum of all of them and one of those since the last mark. */
final class CheckedStream extends OutputStream {
    private final OutputStream target;
    private final CRC32C all = new CRC32C();
    private final CRC32C part = new CRC32C();
    private long count;

    CheckedStream(OutputStream target) {
        this.target = target;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        target.write(bytes, offset, length);
        all.update(bytes, offset, length);
        part.update(bytes, offset, length);
        count += length;
    }

    @Override
    public void flush() throws IOException {
        target.flush();
    }

    long count() {
        return count;
    }

    /** The checksum since the last call. */
    int mark() {
        int sum = (int) part.getValue();
        part.reset();
        return sum;
    }

    String crc32c() {
        return "%08x".formatted((int) all.getValue());
    }
}
