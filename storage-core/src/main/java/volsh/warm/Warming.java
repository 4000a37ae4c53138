package volsh.warm;

import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.cache.disk.KeepRequest;
import volsh.cache.disk.RetainedFrames;
import volsh.chunk.Caches;
import volsh.chunk.TierLoad;
import volsh.codec.CorruptBlockException;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.transfer.Survey;
import volsh.transfer.TransferThreads;
import volsh.vfs.Vfs;

/**
 * Loads the files below some paths into the cache directories. The metadata is walked once; blocks are collected a few
 * hundred at a time, so that a block shared by many small files is loaded once, and loaded by several threads. The
 * total is counted at the same time.
 */
final class Warming {
    private static final int BATCH = 256;
    private static final long MEMORY_MAX = 64 << 20;
    private static final long MEMORY_OF_ONE = 5 << 20;
    private static final long MEMORY_MIN = 20 << 20;   // the largest possible block

    private final Vfs vfs;
    private final Caches caches;
    private final Wish.Warm wish;
    private final WarmTally tally;
    private final FileBlocks files;
    private final KeepRequest claim;
    private final @Nullable Bandwidth wire;   // null: no limit

    Warming(Vfs vfs, Caches caches, Wish.Warm wish, WarmTally tally) {
        this.vfs = vfs;
        this.caches = caches;
        this.wish = wish;
        this.tally = tally;
        this.files = new FileBlocks(vfs);
        this.claim = caches.requests().claim(false);
        this.wire = wish.limit().map(rate -> new Bandwidth(rate, new Patient(tally))).orElse(null);
    }

    /** The frames of a block to load, with the bytes of files that they hold, and one of those files. */
    private record Wanted(BlockRow block, long ino, BitSet frames, long[] bytes) {}

    void run() throws IOException {
        for (var path : wish.paths()) {
            files.resolve(path);   // a wrong path fails before anything is loaded
        }
        var counting = Thread.ofPlatform().daemon().name("warm-count").start(this::count);
        long memory = Math.clamp(wish.parallel() * MEMORY_OF_ONE, MEMORY_MIN, MEMORY_MAX);
        try (var load = caches.load(memory); var crew = new TransferThreads(wish.parallel())) {
            var gathering = new Gathering(load, crew);
            files.visit(wish.paths(), gathering);
            gathering.handOver();
            crew.finish();
        } finally {
            counting.interrupt();
        }
    }

    private void count() {
        try {
            var survey = new Survey(() -> tally.isCancelled() || Thread.currentThread().isInterrupted());
            for (var path : wish.paths()) {
                survey.add(vfs, files.resolve(path));
            }
            if (survey.isComplete()) {
                tally.total(survey.bytes());
            }
        } catch (IOException unknown) {
            // then the total stays unknown; loading meets the same failure and reports it
        }
    }

    /** Collects the frames to load of each block, and submits them in batches. */
    private final class Gathering implements FileBlocks.Visitor {
        private final TierLoad load;
        private final TransferThreads crew;
        private final Map<Long, Wanted> batch = new LinkedHashMap<>();

        Gathering(TierLoad load, TransferThreads crew) {
            this.load = load;
            this.crew = crew;
        }

        @Override
        public void found(long ino, Extent part, BlockRow block) throws IOException {
            var wanted = batch.computeIfAbsent(block.id(), first -> new Wanted(block, ino, new BitSet(), new long[1]));
            wanted.frames().or(load.frames(block, part.offset(), part.offset() + part.length()));
            wanted.bytes()[0] += part.length();
            if (batch.size() >= BATCH) {
                handOver();
            }
        }

        @Override
        public void ended(Attributes file, long unstored) throws IOException {
            tally.check();
            tally.files.increment();
            tally.done.add(unstored);
        }

        private void handOver() throws IOException {
            for (var wanted : batch.values()) {
                if (!tally.isFull()) {
                    crew.submit(() -> load(wanted));
                }
            }
            batch.clear();
        }

        private void load(Wanted wanted) throws IOException {
            tally.check();
            if (tally.isFull()) {
                return;
            }
            try {
                var loaded = loadOnce(wanted);
                if (wish.verify() && loaded.present() > 0 && !caches.requests().verify(wanted.block().id())) {
                    loaded = loadOnce(wanted);
                }
                count(wanted, loaded);
            } catch (CorruptBlockException damaged) {
                if (files.names(wanted.ino(), wanted.block().id())) {
                    caches.notLoaded(damaged);
                    tally.damaged(damaged);
                }
            }
        }

        private TierLoad.Loaded loadOnce(Wanted wanted) throws IOException {
            return load.load(wanted.block(), wanted.frames(), claim, Warming.this::toFetch);
        }
    }

    private void count(Wanted wanted, TierLoad.Loaded loaded) throws IOException {
        tally.blocks.increment();
        tally.present.add(loaded.present());
        tally.fetched.add(loaded.fetched());
        switch (loaded.kept()) {
            case RetainedFrames.YES -> tally.done.add(wanted.bytes()[0]);
            case RetainedFrames.NO_ROOM -> tally.full();
            case RetainedFrames.NO_DISK -> throw new IOException(
                    "a cache directory cannot be written: see 'volsh cache status' and the mount's log");
        }
    }

    /** Waits in short steps, so that a cancelled job ends soon. */
    private record Patient(WarmTally tally) implements Pause {
        private static final Duration AT_A_TIME = Duration.ofMillis(50);

        @Override
        public void sleep(Duration time) throws IOException {
            long until = nanoTime() + time.toNanos();
            for (long left = time.toNanos(); left > 0; left = until - nanoTime()) {
                tally.check();
                Pause.REAL.sleep(Duration.ofNanos(Math.min(left, AT_A_TIME.toNanos())));
            }
        }

        @Override
        public long nanoTime() {
            return Pause.REAL.nanoTime();
        }
    }

    private void toFetch(long bytes) throws IOException {
        tally.check();
        if (wire != null) {
            wire.send(bytes);
            tally.check();
        }
    }
}
