package volsh.tensor;

import java.io.IOException;
import java.nio.ByteBuffer;
import volsh.fs.ByteSource;

/** Ranges of a file of tensors. */
final class TensorBytes {
    private TensorBytes() {}

    /** @throws TensorFormatException if the file ends before */
    static ByteBuffer take(ByteSource source, long offset, int length) throws IOException {
        if (offset < 0 || length < 0 || offset > source.size() - length) {
            throw new TensorFormatException("truncated: %d bytes at %d are missing".formatted(length, offset));
        }
        var bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && source.read(offset + bytes.position(), bytes) > 0) {
            // until it is full
        }
        if (bytes.hasRemaining()) {
            throw new TensorFormatException("truncated: %d bytes at %d are missing".formatted(length, offset));
        }
        return bytes.flip();
    }
}
