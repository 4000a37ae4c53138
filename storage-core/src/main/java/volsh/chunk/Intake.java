package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileCommit;

/**
 * Writes whole blocks of a new file straight from their source, a few in parallel: each is encoded as it is read,
 * stored, and committed together with others. Needs no {@link Windows}, because no other handle reads or writes the
 * file: its bytes appear when they are committed, in any order.
 */
final class Intake {
    /** The number of blocks in work: enough to read and encode while others wait for the disk. */
    private static final int WORKERS = 6;
    /** Blocks of one commit. */
    private static final int COMMIT_BLOCKS = 32;

    private final FileState state;
    private final Chunks chunks;
    private final Flush flush;
    private final FileState.Source source;
    private final int count;
    private final Semaphore seats = new Semaphore(WORKERS);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Stored> stored = new ArrayList<>();   // not committed yet
    private final List<Long> declined = new ArrayList<>();
    private int begun;

    private record Stored(BlockRow row, Extent extent) {}

    /** For the first {@code count} blocks of the file. */
    Intake(FileState state, Chunks chunks, Flush flush, int count, FileState.Source source) {
        this.state = state;
        this.chunks = chunks;
        this.flush = flush;
        this.count = count;
        this.source = source;
    }

    /**
     * Returns the offsets of the blocks that the source declined, in file order; all others are stored and committed.
     */
    List<Long> run() throws IOException {
        for (int i = 1; i < Math.min(WORKERS, count); i++) {
            chunks.executor().execute(this::help);
        }
        help();
        seats.acquireUninterruptibly(WORKERS);   // running workers finish; later ones find nothing to do
        if (failure.get() == null) {
            commit(takeStored(1));
        } else {
            takeStored(1).forEach(block -> chunks.discard(block.row()));
        }
        rethrow();
        declined.sort(Comparator.naturalOrder());
        return declined;
    }

    private void help() {
        if (!seats.tryAcquire()) {
            return;
        }
        try {
            for (int i = next(); i < count && failure.get() == null; i = next()) {
                take((long) i * state.blockSize());
                commit(takeStored(COMMIT_BLOCKS));
            }
        } catch (IOException | RuntimeException | Error failed) {
            failure.compareAndSet(null, failed);
        } finally {
            seats.release();
        }
    }

    private synchronized int next() {
        return begun++;
    }

    private void take(long start) throws IOException {
        int length = state.blockSize();
        long id = chunks.table().newBlock();
        long[] at = {start};
        Optional<BlockRow> row = chunks.blocks().writer()
                .write(id, BlockOwner.file(state.ino(), start), length, target -> {
            boolean wanted = failure.get() == null && source.read(at[0], target);
            at[0] += target.position();
            return wanted;
        });
        synchronized (this) {
            if (row.isPresent()) {
                stored.add(new Stored(row.get(), new Extent(start, length, id, 0)));
            } else {
                declined.add(start);
            }
        }
    }

    /** The stored blocks that wait to be committed, if there are at least {@code atLeast}. */
    private synchronized List<Stored> takeStored(int atLeast) {
        if (stored.size() < atLeast) {
            return List.of();
        }
        var taken = stored.stream().sorted(Comparator.comparingLong(block -> block.extent().start())).toList();
        stored.clear();
        return taken;
    }

    private void commit(List<Stored> blocks) throws IOException {
        if (blocks.isEmpty()) {
            return;
        }
        var rows = blocks.stream().map(Stored::row).toList();
        var extents = blocks.stream().map(Stored::extent).toList();
        state.lockCommits();
        try {
            flush.commit(new FileCommit(rows, extents, extents.getLast().end(), OptionalLong.of(chunks.now()), -1));
        } finally {
            state.unlockCommits();
        }
    }

    private void rethrow() throws IOException {
        var first = failure.get();
        if (first == null) {
            return;
        }
        switch (first) {
            case IOException failed -> throw failed;
            case RuntimeException failed -> throw failed;
            case Error failed -> throw failed;
            case Throwable other -> throw new IOException(other);
        }
    }
}
