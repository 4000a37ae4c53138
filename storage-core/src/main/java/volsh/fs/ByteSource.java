package volsh.fs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A readable file, wherever it is. */
public interface ByteSource {
    long size() throws IOException;

    /** Reads at most as much as the target can hold; returns how many bytes, fewer only at the end of the file. */
    int read(long offset, ByteBuffer target) throws IOException;

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
