package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import volsh.chunk.BlockWriter.BlockOwner;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Move;
import volsh.fs.Patch;

/**
 * Flushes sealed windows of one file: into its inline row if it is small, else as a block. Upload first, then commit.
 */
final class Flush {
    private static final int[] NO_STARTS = {};

    private final FileState state;
    private final Chunks chunks;
    private final Tails tails;

    Flush(FileState state, Chunks chunks) {
        this.state = state;
        this.chunks = chunks;
        this.tails = new Tails(state.ino(), chunks, state.inFlight());
    }

    private interface Step {
        void run() throws IOException;
    }

    /**
     * A stored block that no metadata names yet: it holds the tail, if there is one, and ranges of the window, back to
     * back.
     */
    private record Uploaded(BlockRow row, Optional<Tail> tail, ByteRanges ranges) {
        List<Move> moves() {
            return tail.map(taken -> new Move(taken.extent(), taken.movedTo(row.id()))).stream().toList();
        }
    }

    /**
     * Flushes the window; its future completes or fails with that. Windows are uploaded in parallel and committed in
     * the order in which they were sealed: if the one before is not committed yet, the commit runs when it is, and no
     * thread waits.
     */
    void run(Dirty dirty) {
        attempt(dirty, () -> {
            var uploaded = isSmall(dirty) ? null : upload(dirty);
            var previous = dirty.previous();
            if (previous.isDone()) {
                finish(dirty, uploaded);
            } else {
                var _ = previous.whenCompleteAsync((done, failure) -> attempt(dirty, () -> finish(dirty, uploaded)),
                        chunks.executor());
            }
        });
    }

    private void attempt(Dirty dirty, Step step) {
        try {
            step.run();
        } catch (FsException gone) {
            if (gone.error() != FsError.NO_ENTRY) {
                dirty.flushed().completeExceptionally(gone);
            } else if (chunks.isInUse(state)) {   // an open file can vanish only after this session was fenced
                dirty.flushed().completeExceptionally(new FsException(FsError.STALE));
            } else {   // its bytes are lost with it
                state.committed(dirty);
                dirty.flushed().complete(null);
            }
        } catch (IOException | RuntimeException | Error failure) {
            dirty.flushed().completeExceptionally(failure);
        }
    }

    private void finish(Dirty dirty, @Nullable Uploaded uploaded) throws IOException {
        FlushAll.await(dirty.previous());
        List<Extent> laid = List.of();
        if (uploaded != null) {
            laid = commit(dirty, uploaded);
        } else if (!isSmall(dirty) || !patchInline(dirty)) {
            laid = commit(dirty, upload(dirty));
        }
        dirty.flushed().complete(null);
        chunks.crowds().wrote(state.ino(), laid);
    }

    private boolean isSmall(Dirty dirty) {
        var ranges = state.windows().rangesOf(dirty);
        return dirty.start + ranges.end() <= inlineMost(dirty, ranges);
    }

    /** A file is gathered when it is written from its start: so it has no holes before its last byte. */
    private int inlineMost(Dirty dirty, ByteRanges ranges) {
        int most = chunks.settings().inlineMax();
        boolean fromStart = dirty.start == 0 && !dirty.isAppended() && ranges.count() == 1 && ranges.first() == 0;
        return fromStart ? Math.max(most, chunks.gathered().largest()) : most;
    }

    private boolean patchInline(Dirty dirty) throws IOException {
        state.lockCommits();
        try {
            var patches = new ArrayList<Patch>();
            var ranges = state.windows().rangesOf(dirty);
            ranges.each((from, to) -> patches.add(new Patch(dirty.start + from, bytes(dirty.view(from, to)))));
            if (!ranges.isEmpty()) {
                long end = dirty.start + ranges.end();
                var mtime = state.windows().writtenAt();
                int most = inlineMost(dirty, ranges);
                var done = dirty.isAppended()
                        ? chunks.table().appendInline(state.ino(), bytes(dirty.view(ranges.first(), ranges.end())),
                                mtime, most)
                        : chunks.table().patchInline(state.ino(), patches, end, mtime, most);
                if (done.isEmpty()) {
                    return false;
                }
                state.madeVersion(done.get().version());
                chunks.committedInline(done.get());
            }
            state.committed(dirty);
            return true;
        } finally {
            state.unlockCommits();
        }
    }

    private static byte[] bytes(ByteBuffer view) {
        byte[] copy = new byte[view.remaining()];
        view.get(copy);
        return copy;
    }

    /** Stores what is left of the window as a block, with the tail that it continues; null if nothing is left. */
    private @Nullable Uploaded upload(Dirty dirty) throws IOException {
        var ranges = state.windows().rangesOf(dirty);
        if (ranges.isEmpty()) {
            return null;
        }
        var tail = tails.take(dirty, ranges);
        return new Uploaded(store(chunks.table().newBlock(), dirty, tail, ranges), tail, ranges);
    }

    /** Commits what is left of the window; returns its extents. */
    private List<Extent> commit(Dirty dirty, @Nullable Uploaded uploaded) throws IOException {
        List<Extent> extents;
        state.lockCommits();
        try {
            extents = uploaded == null ? List.of() : extents(dirty, uploaded, state.windows().rangesOf(dirty));
            if (uploaded != null && !extents.isEmpty()) {
                commit(List.of(uploaded.row()), extents, state.windows().writtenAt(), uploaded.moves(),
                        dirty.isAppended());
            }
            state.committed(dirty);
        } finally {
            state.unlockCommits();
        }
        if (uploaded != null && extents.isEmpty()) {
            chunks.discard(uploaded.row());
        }
        return extents;
    }

    private BlockRow store(long id, Dirty dirty, Optional<Tail> tail, ByteRanges ranges) throws IOException {
        int from = tail.map(taken -> taken.from(dirty)).orElse(ranges.first());
        if (ranges.count() == 1) {   // a tail lies right before it
            return store(id, dirty.start + from, dirty.view(from, ranges.end()), tail);
        }
        int tailBytes = ranges.first() - from;
        try (var packed = chunks.blocks().writer().room(tailBytes + ranges.bytes())) {
            var raw = packed.view(tailBytes + ranges.bytes());
            raw.put(dirty.view(from, ranges.first()));
            ranges.each((first, last) -> raw.put(dirty.view(first, last)));
            return store(id, dirty.start + from, raw.flip(), tail);
        }
    }

    private BlockRow store(long id, long offset, ByteBuffer raw, Optional<Tail> tail) throws IOException {
        var row = chunks.blocks().writer().write(id, BlockOwner.file(state.ino(), offset), raw, NO_STARTS);
        if (tail.isPresent()) {
            tails.stored(row, raw);
        }
        return row;
    }

    /** The extents of what is left of the uploaded ranges. */
    private static List<Extent> extents(Dirty dirty, Uploaded uploaded, ByteRanges left) {
        var extents = new ArrayList<Extent>();
        long[] base = {uploaded.tail().map(Tail::length).orElse(0L)};
        uploaded.ranges().each((from, to) -> {
            left.within(from, to, (first, last) ->
                    extents.add(new Extent(dirty.start + first, last - first, uploaded.row().id(),
                            base[0] + first - from)));
            base[0] += to - from;
        });
        return extents;
    }

    private void commit(List<BlockRow> blocks, List<Extent> extents, OptionalLong mtime, List<Move> moves,
            boolean append) throws IOException {
        commit(new FileCommit(blocks, extents, extents.getLast().end(), mtime, -1, moves, append));
    }

    /** Commits new bytes that include no inline ones; the caller holds the lock of commits. */
    void commit(FileCommit commit) throws IOException {
        var done = chunks.table().commit(state.ino(), commit);
        while (done.isEmpty()) {
            absorbInline();
            done = chunks.table().commit(state.ino(), commit);
        }
        state.madeVersion(done.get().version());
        tails.hasSize(done.get().size());
        chunks.committed(done.get());
    }

    /** Stores these bytes and commits them as the new end of the file, in one transaction. */
    void append(ByteBuffer source) throws IOException {
        var rows = new ArrayList<BlockRow>();
        var extents = new ArrayList<Extent>();
        long at = 0;
        long end = chunks.blocks().placement().isSingle() ? 0
                : chunks.table().content(state.ino(), 0, 0).attributes().size();
        try {
            while (source.hasRemaining()) {
                int count = Math.min(source.remaining(), state.blockSize());
                var row = store(source.slice(source.position(), count), end + at);
                rows.add(row);
                extents.add(new Extent(at, count, row.id(), 0));
                source.position(source.position() + count);
                at += count;
            }
        } catch (IOException | RuntimeException failed) {
            for (var row : rows) {
                chunks.discard(row);
            }
            throw failed;
        }
        state.lockCommits();
        try {
            commit(rows, extents, OptionalLong.of(chunks.now()), List.of(), true);
            chunks.countCommit();
        } finally {
            state.unlockCommits();
        }
    }

    private BlockRow store(ByteBuffer bytes, long offset) throws IOException {
        int length = bytes.remaining();
        try (var slab = chunks.blocks().writer().room(length)) {
            return chunks.blocks().writer().write(
                    chunks.table().newBlock(), BlockOwner.file(state.ino(), offset),
                    slab.view(length).put(bytes).flip(), NO_STARTS);
        }
    }

    /** Stores bytes that are inline, though they are more than the limit, as a block: now they may get holes. */
    void settleInline() throws IOException {
        state.lockCommits();
        try {
            absorbInline(chunks.settings().inlineMax());
        } finally {
            state.unlockCommits();
        }
    }

    /** Stores the inline bytes of a file that became too large as a block of their own, below the new bytes. */
    private void absorbInline() throws IOException {
        absorbInline(-1);
    }

    private void absorbInline(int above) throws IOException {
        var content = chunks.table().content(state.ino(), 0, 1);
        byte[] inline = content.inline();
        if (inline == null || inline.length <= above) {
            return;
        }
        long id = chunks.table().newBlock();
        try (var slab = chunks.blocks().writer().room(inline.length)) {
            var raw = slab.view(inline.length).put(inline).flip();
            var row = chunks.blocks().writer().write(id, BlockOwner.file(state.ino(), 0), raw, NO_STARTS);
            var extents = List.of(new Extent(0, inline.length, id, 0));
            var attributes = content.attributes();
            var commit = new FileCommit(List.of(row), extents, inline.length, state.windows().writtenAt(),
                    attributes.version());
            if (chunks.table().commit(state.ino(), commit).isEmpty()) {
                chunks.discard(row);
            }
        }
    }
}
