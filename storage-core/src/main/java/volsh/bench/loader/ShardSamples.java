package volsh.bench.loader;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Consecutive samples in shards: a worker reads one shard after another, sequentially. */
record ShardSamples(List<Path> shards, Opener opener) implements Samples {
    /** Begins to read a shard. */
    interface Opener {
        Reader open(Path shard) throws IOException;
    }

    @Override
    public Samples part(int rank, int world) {
        return new ShardSamples(FileSamples.every(shards, rank, world), opener);
    }

    @Override
    public Reader reader(int worker, int workers, int batch) {
        var mine = FileSamples.every(shards, worker, workers);
        return new Reader() {
            private int next;
            private @Nullable Reader open;

            @Override
            public long next() throws IOException {
                while (true) {
                    long bytes = open == null ? END : open.next();
                    if (bytes != END) {
                        return bytes;
                    }
                    close();
                    if (next == mine.size()) {
                        return END;
                    }
                    open = opener.open(mine.get(next++));
                }
            }

            @Override
            public void close() throws IOException {
                if (open != null) {
                    open.close();
                    open = null;
                }
            }
        };
    }

    @Override
    public boolean isEmpty() {
        return shards.isEmpty();
    }

    @Override
    public String description() {
        return "%,d shards".formatted(shards.size());
    }
}
