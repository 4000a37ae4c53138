package volsh.warm;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import volsh.cache.disk.BlockSet;
import volsh.chunk.Caches;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.vfs.Vfs;

/** Evicts data from the cache when it has been there for long enough. */
public final class TimedEviction {
    private final Vfs vfs;
    private final Caches caches;
    private final InstantSource clock;

    public TimedEviction(Vfs vfs, Caches caches, InstantSource clock) {
        this.vfs = vfs;
        this.caches = caches;
        this.clock = clock;
    }

    /**
     * Evicts the blocks of files below the path that have been in cache directories for longer than {@code time}, also
     * from memory; not those that are pinned. Returns the bytes that became free.
     */
    public long expire(String path, Duration time) throws IOException {
        var blocks = new BlockSet.Builder();
        new FileBlocks(vfs).visit(List.of(path), new FileBlocks.Visitor() {
            @Override
            public void found(long ino, Extent part, BlockRow block) {
                blocks.add(block.id(), 0);
            }

            @Override
            public void ended(Attributes file, long unstored) {}
        });
        var gone = caches.requests().expire(blocks.build(), clock.instant().minus(time));
        caches.forget(gone);
        return gone.bytes();
    }
}
