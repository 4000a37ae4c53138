package volsh.bench.loader;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.Checksum;
import volsh.bench.Terms;

/** A file that is read sequentially in large pieces, through aligned off-heap memory. */
final class Window implements AutoCloseable {
    private static final int PIECE = 256 << 10;

    private final Path path;
    private final FileChannel file;
    private final ByteBuffer buffer = buffer().limit(0);

    Window(Path path) throws IOException {
        this.path = path;
        this.file = FileChannel.open(path);
    }

    static ByteBuffer buffer() {
        return buffer(PIECE);
    }

    static ByteBuffer buffer(int bytes) {
        int whole = Math.ceilDiv(bytes, Terms.ALIGNMENT) * Terms.ALIGNMENT;
        return ByteBuffer.allocateDirect(whole + Terms.ALIGNMENT).alignedSlice(Terms.ALIGNMENT).limit(whole).slice()
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    boolean atEnd() throws IOException {
        if (buffer.hasRemaining()) {
            return false;
        }
        int count = file.read(buffer.clear());
        buffer.flip();
        return count < 0;
    }

    /** The next bytes. @throws EOFException if there are fewer */
    byte[] take(int count) throws IOException {
        var bytes = new byte[count];
        for (int done = 0; done < count;) {
            int now = Math.min(count - done, available());
            buffer.get(bytes, done, now);
            done += now;
        }
        return bytes;
    }

    /** Skips bytes and adds them to a checksum. */
    void pass(long count, Checksum sum) throws IOException {
        for (long left = count; left > 0;) {
            int now = (int) Math.min(left, available());
            sum.update(buffer.slice(buffer.position(), now));
            buffer.position(buffer.position() + now);
            left -= now;
        }
    }

    /** Skips bytes, but reads them. */
    void pass(long count) throws IOException {
        for (long left = count; left > 0;) {
            int now = (int) Math.min(left, available());
            buffer.position(buffer.position() + now);
            left -= now;
        }
    }

    private int available() throws IOException {
        if (atEnd()) {
            throw new EOFException("%s ends within a sample".formatted(path));
        }
        return buffer.remaining();
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
