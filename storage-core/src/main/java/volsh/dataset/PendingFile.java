package volsh.dataset;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsException;
import volsh.fs.NoSpaceException;

/** A file that is being written and that no reader sees yet. Closing it without a commit discards it. */
public abstract class PendingFile implements AutoCloseable {
    private final String target;
    private final int bufferBytes;
    private final OutputStream direct = new Unbuffered();
    private @Nullable OutputStream stream;

    /** {@code target} is named in failures. */
    PendingFile(String target, int bufferBytes) {
        this.target = target;
        this.bufferBytes = bufferBytes;
    }

    /** Appends some of these bytes. */
    abstract void write(ByteBuffer bytes) throws IOException;

    /** Makes the file appear, with all that was written. */
    abstract void place() throws IOException;

    @Override
    public abstract void close() throws IOException;

    private final class Unbuffered extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            var buffer = ByteBuffer.wrap(bytes, offset, length);
            try {
                while (buffer.hasRemaining()) {
                    PendingFile.this.write(buffer);
                }
            } catch (FsException refused) {
                throw new FsException(refused.error(), target + ": " + refused.getMessage(), refused);
            } catch (IOException failed) {
                throw NoSpaceException.typed("%s: %s".formatted(target, failed.getMessage()), failed);
            }
        }
    }

    /** The same stream on every call. It buffers; closing it does nothing. */
    public final OutputStream stream() {
        if (stream == null) {
            stream = new BufferedOutputStream(direct, bufferBytes);
        }
        return stream;
    }

    /** The same file without a buffer, for those who write much at a time, instead of {@link #stream}. */
    public final OutputStream direct() {
        return direct;
    }

    /** Makes the file appear under its name, whole, replacing a file of that name. */
    public final void commit() throws IOException {
        if (stream != null) {
            stream.flush();
        }
        place();
    }
}
