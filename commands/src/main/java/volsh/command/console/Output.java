package volsh.command.console;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Buffered standard output that distinguishes a closed pipe ({@link BrokenPipeException}) from a full disk. After a
 * failure it writes nothing more and does not fail again, so that the first error is reported.
 */
public final class Output extends FilterOutputStream {
    private final byte[] buffer = new byte[8192];
    private int filled;
    private boolean failed;

    public Output(OutputStream target) {
        super(target);
    }

    @Override
    public synchronized void write(int b) throws IOException {
        if (filled == buffer.length) {
            drain();
        }
        buffer[filled++] = (byte) b;
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        if (length > buffer.length - filled) {
            drain();
        }
        if (length >= buffer.length) {
            send(bytes, offset, length);
        } else {
            System.arraycopy(bytes, offset, buffer, filled, length);
            filled += length;
        }
    }

    @Override
    public synchronized void flush() throws IOException {
        drain();
        if (!failed) {
            out.flush();
        }
    }

    private void drain() throws IOException {
        int length = filled;
        filled = 0;
        send(buffer, 0, length);
    }

    private void send(byte[] bytes, int offset, int length) throws IOException {
        if (failed || length == 0) {
            return;
        }
        try {
            out.write(bytes, offset, length);
        } catch (IOException failure) {
            failed = true;
            throw BrokenPipeException.is(failure) ? new BrokenPipeException(failure)
                    : new IOException("cannot write to standard output", failure);
        }
    }
}
