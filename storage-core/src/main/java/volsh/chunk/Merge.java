package volsh.chunk;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.fs.BlockRow;
import volsh.fs.Content;
import volsh.fs.Extent;
import volsh.fs.FileTable;
import volsh.fs.Move;

/**
 * Merges many extents of one part of a file into one block, with the memory of that block and no more. The content of
 * the file does not change. An extent that is replaced, cut or punched in the meantime is left out of the commit; if
 * none is left the new block is deleted. The block goes to the store itself, never to a journal, so bytes never become
 * less safe.
 */
final class Merge {
    private static final int[] NO_STARTS = {};
    /** The number of rounds: others may write new extents as fast as they are merged. */
    private static final int ROUNDS_MAX = 100;

    private final FileState state;
    private final Chunks chunks;
    private final BooleanSupplier stopped;

    Merge(FileState state, Chunks chunks, BooleanSupplier stopped) {
        this.state = state;
        this.chunks = chunks;
        this.stopped = stopped;
    }

    /** Merges the part that begins at {@code start} until it is not crowded; returns the number of blocks made. */
    int run(long start) throws IOException {
        return run(start, chunks.settings().crowdMax());
    }

    /** The same, where {@code most} extents that touch each other are a crowd. */
    int run(long start, int most) throws IOException {
        int done = 0;
        while (done < ROUNDS_MAX && !stopped.getAsBoolean() && round(start, most)) {
            chunks.rewrites().merged();
            done++;
        }
        return done;
    }

    private boolean round(long start, int most) throws IOException {
        long end = start + chunks.settings().crowdSpan();
        var content = chunks.table().content(state.ino(), start, end);
        var chosen = choose(content.extents(), most);
        if (chosen.isEmpty()) {
            return false;
        }
        var row = store(content, chosen.stream().map(extent -> extent.clip(start, end)).toList());
        return row != null && commit(row, moves(chosen, start, end, row.id()));
    }

    /**
     * The extents to merge: those that touch another one, as many as one transaction takes; none if there are few. One
     * at an end that has more bytes than all others may stay as it is, so that a large extent is not stored again for
     * each few small ones.
     */
    static List<Extent> choose(List<Extent> extents, int most) {
        if (!Crowds.isCrowd(extents, most)) {
            return List.of();
        }
        var chosen = new ArrayDeque<Extent>();
        for (int i = 0; i < extents.size() && chosen.size() < FileTable.MOVES_MAX; i++) {
            if (Crowds.hasNeighbour(extents, i)) {
                chosen.add(extents.get(i));
            }
        }
        for (int i = 0; i < most / 8; i++) {
            if (outweighsOthers(chosen.getFirst(), chosen)) {
                chosen.removeFirst();
            }
            if (outweighsOthers(chosen.getLast(), chosen)) {
                chosen.removeLast();
            }
        }
        return List.copyOf(chosen);
    }

    private static boolean outweighsOthers(Extent one, Iterable<Extent> all) {
        long total = 0;
        for (var extent : all) {
            total += extent.length();
        }
        return one.length() > total - one.length();
    }

    /** Stores these as one block; null if it was stopped on the way. */
    private @Nullable BlockRow store(Content content, List<Extent> parts) throws IOException {
        int total = Math.toIntExact(parts.stream().mapToLong(Extent::length).sum());
        try (var slab = chunks.blocks().writer().room(total)) {
            int at = 0;
            for (var part : parts) {
                if (stopped.getAsBoolean()) {
                    return null;
                }
                int length = (int) part.length();
                var block = chunks.blocks().reader().describe(content.block(part));
                chunks.frames().read(block, Math.toIntExact(part.offset()), slab.view(at, at + length));
                at += length;
            }
            return chunks.blocks().writer().writeLasting(
                    chunks.table().newBlock(), BlockOwner.file(state.ino(), parts.getFirst().start()), slab.view(total),
                    NO_STARTS);
        }
    }

    private static List<Move> moves(List<Extent> chosen, long start, long end, long block) {
        var moves = new ArrayList<Move>();
        long at = 0;
        for (var extent : chosen) {
            var part = extent.clip(start, end);
            moves.add(new Move(extent, new Extent(part.start(), part.length(), block, at)));
            at += part.length();
        }
        return moves;
    }

    private boolean commit(BlockRow row, List<Move> moves) throws IOException {
        state.lockCommits();
        try {
            var done = chunks.table().move(state.ino(), row, moves);
            if (done.isPresent()) {
                state.madeVersion(done.get().version());
                return true;
            }
        } finally {
            state.unlockCommits();
        }
        chunks.discard(row);
        return false;
    }
}
