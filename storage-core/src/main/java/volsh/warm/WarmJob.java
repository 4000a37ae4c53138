package volsh.warm;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import volsh.cache.disk.BlockSet;
import volsh.cache.disk.Pin;
import volsh.chunk.Caches;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;

/**
 * Carries out a {@link Wish}, once. What it has done when it is cancelled stays; another run continues from there,
 * because it looks at the cache first.
 */
public final class WarmJob implements Undertaking {
    private static final long COUNTING_MEMORY = 1 << 20;
    private static final int NAMED_MAX = 3;

    private final Vfs vfs;
    private final Caches caches;
    private final Wish wish;
    private final InstantSource clock;
    private final WarmTally tally = new WarmTally();

    public WarmJob(Vfs vfs, Caches caches, Wish wish, InstantSource clock) {
        this.vfs = vfs;
        this.caches = caches;
        this.wish = wish;
        this.clock = clock;
    }

    public JobStatus status() {
        return tally.status();
    }

    @Override
    public void cancel() {
        tally.cancel();
    }

    @Override
    public boolean isOver() {
        return status().isOver();
    }

    @Override
    public String about() {
        var status = status();
        var done = new ByteSize(status.doneBytes());
        var named = String.join(" ", wish.paths().subList(0, Math.min(NAMED_MAX, wish.paths().size())));
        int more = wish.paths().size() - NAMED_MAX;
        return "%s %s%s: %s".formatted(wish.words().getFirst(), named, more > 0 ? " and %d more".formatted(more) : "",
                status.totalBytes() < 0 ? done : done + " of " + new ByteSize(status.totalBytes()));
    }

    /** Runs the job; {@link #status} says how it ended. */
    @Override
    public void run() {
        try {
            switch (wish) {
                case Wish.Warm warm -> warm(warm);
                case Wish.Hold hold -> hold(hold.paths(), hold.terms());
                case Wish.Evict evict -> evict(evict.paths());
            }
            tally.ended();
        } catch (IOException | RuntimeException | Error failed) {
            tally.failed(failed);
        }
    }

    private void warm(Wish.Warm warm) throws IOException {
        if (warm.pin().isPresent()) {
            hold(warm.paths(), warm.pin().get());
            tally.restart();
        }
        new Warming(vfs, caches, warm, tally).run();
    }

    private void hold(List<String> paths, Wish.Terms terms) throws IOException {
        var now = Instant.ofEpochMilli(clock.millis());
        for (var path : paths) {
            var blocks = blocks(List.of(path));
            caches.requests().pin(new Pin(path, now, terms.expires().map(now::plus), terms.drops(), blocks));
            tally.present.add(blocks.bytes());
        }
    }

    private void evict(List<String> paths) throws IOException {
        var blocks = blocks(paths);
        tally.freed.add(caches.requests().evict(blocks));
        caches.forget(blocks);
    }

    /** All blocks of the files below these paths, whole. */
    private BlockSet blocks(List<String> paths) throws IOException {
        var blocks = new BlockSet.Builder();
        try (var load = caches.load(COUNTING_MEMORY)) {
            new FileBlocks(vfs).visit(paths, new FileBlocks.Visitor() {
                @Override
                public void found(long ino, Extent part, BlockRow block) throws IOException {
                    blocks.add(block.id(), BlockSet.bytesInCache(load.frameCount(block), block.storedSize()));
                }

                @Override
                public void ended(Attributes file, long unstored) throws IOException {
                    tally.check();
                    tally.files.increment();
                }
            });
        }
        var all = blocks.build();
        tally.blocks.add(all.count());
        return all;
    }
}
