package volsh.tensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file wherever it is. */
public interface ByteSource {
    long size() throws IOException;

    /** Reads at most what the target takes; returns how many, fewer only where the file ends. */
    int read(long offset, ByteBuffer target) throws IOException;

    /** @throws TensorFormatException if there is less */
    default ByteBuffer take(long offset, int length) throws IOException {
        if (offset < 0 || length < 0 || offset > size() - length) {
            throw new TensorFormatException("cut short: %d bytes at %d are missing".formatted(length, offset));
        }
        var bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && read(offset + bytes.position(), bytes) > 0) {
            // until it is full
        }
        if (bytes.hasRemaining()) {
            throw new TensorFormatException("cut short: %d bytes at %d are missing".formatted(length, offset));
        }
        return bytes.flip();
    }

    static ByteSource of(FileChannel channel) {
        return new ByteSource() {
            @Override
            public long size() throws IOException {
                return channel.size();
            }

            @Override
            public int read(long offset, ByteBuffer target) throws IOException {
                return Math.max(0, channel.read(target, offset));
            }
        };
    }
}
