package volsh.shard.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.ByteSource;

/** Remembers what was read of a source, as {@code OFFSET+LENGTH}. */
record CountingSource(ByteSource delegate, List<String> reads) implements ByteSource {
    CountingSource(ByteSource delegate) {
        this(delegate, new ArrayList<>());
    }

    @Override
    public long size() throws IOException {
        return delegate.size();
    }

    @Override
    public int read(long offset, ByteBuffer target) throws IOException {
        int count = delegate.read(offset, target);
        reads.add(offset + "+" + count);
        return count;
    }
}
