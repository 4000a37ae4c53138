package volsh.tensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A readable file, wherever it is. */
public interface ByteSource {
    long size() throws IOException;

    /** Reads at most as much as the target can hold; returns how many bytes, fewer only at the end of the file. */
    int read(long offset, ByteBuffer target) throws IOException;

    /** @throws TensorFormatException if the file ends before */
    default ByteBuffer take(long offset, int length) throws IOException {
        if (offset < 0 || length < 0 || offset > size() - length) {
            throw new TensorFormatException("truncated: %d bytes at %d are missing".formatted(length, offset));
        }
        var bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && read(offset + bytes.position(), bytes) > 0) {
            // until it is full
        }
        if (bytes.hasRemaining()) {
            throw new TensorFormatException("truncated: %d bytes at %d are missing".formatted(length, offset));
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
