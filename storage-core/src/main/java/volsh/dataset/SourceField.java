package volsh.dataset;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import volsh.shard.Field;

/** A file of a source as a field. What goes wrong with it is a {@link SourceReadException}. */
public record SourceField(DatasetDirectory source, String path, long handle, String name, long size, int sample)
        implements Field {
    @Override
    public InputStream open() throws IOException {
        try {
            return new Exact(source.read(path, handle));
        } catch (IOException unreadable) {
            throw failed(unreadable);
        }
    }

    private SourceReadException failed(IOException cause) {
        return cause instanceof SourceReadException told ? told
                : new SourceReadException(sample, path, "cannot be read", cause);
    }

    private SourceReadException changed() {
        return new SourceReadException(sample, path, "changed while it was packed", null);
    }

    /** Fails unless there are exactly as many bytes as there were. */
    private final class Exact extends FilterInputStream {
        private long left = size;

        Exact(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count;
            try {
                count = in.read(target, offset, length);
            } catch (IOException unreadable) {
                throw failed(unreadable);
            }
            left -= Math.max(0, count);
            if (left < 0 || count < 0 && left > 0) {
                throw changed();
            }
            return count;
        }
    }
}
