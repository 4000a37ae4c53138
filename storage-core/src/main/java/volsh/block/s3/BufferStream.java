package volsh.block.s3;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The remaining bytes of a buffer as a stream. The buffer itself does not move, and no more than a piece of it is copied at
 * a time.
 */
final class BufferStream extends InputStream {
    private static final int PIECE = 64 * 1024;

    private final ByteBuffer rest;

    BufferStream(ByteBuffer data) {
        this.rest = data.duplicate();
    }

    @Override
    public int read() {
        return rest.hasRemaining() ? rest.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        int count = Math.min(length, rest.remaining());
        rest.get(target, offset, count);
        return count == 0 ? -1 : count;
    }

    @Override
    public long transferTo(OutputStream out) throws IOException {
        long count = rest.remaining();
        var piece = new byte[(int) Math.min(PIECE, count)];
        for (int length = read(piece, 0, piece.length); length > 0; length = read(piece, 0, piece.length)) {
            out.write(piece, 0, length);
        }
        return count;
    }

    @Override
    public long skip(long wanted) {
        int count = Math.clamp(wanted, 0, rest.remaining());
        rest.position(rest.position() + count);
        return count;
    }

    @Override
    public int available() {
        return rest.remaining();
    }

    @Override
    public boolean markSupported() {
        return true;
    }

    @Override
    public void mark(int limit) {
        rest.mark();
    }

    @Override
    public void reset() {
        rest.reset();
    }
}
