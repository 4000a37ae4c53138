package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fs.FileCommit;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Patch;

/** Writes sealed windows of one file out: into its inline row if it is small, else as a block. Upload first, then commit. */
final class Flush {
    private static final int[] NO_STARTS = {};

    private final FileState state;
    private final Chunks chunks;

    Flush(FileState state, Chunks chunks) {
        this.state = state;
        this.chunks = chunks;
    }

    /** Writes the window out; its future says how that ended. */
    void run(Dirty dirty) {
        try {
            if (!isSmall(dirty) || !patchInline(dirty)) {
                upload(dirty);
            }
            dirty.flushed().complete(null);
        } catch (FsException gone) {
            if (gone.error() == FsError.NO_ENTRY) {   // the file is gone, and its bytes with it
                state.committed(dirty);
                dirty.flushed().complete(null);
            } else {
                dirty.flushed().completeExceptionally(gone);
            }
        } catch (IOException | RuntimeException | Error failure) {
            dirty.flushed().completeExceptionally(failure);
        }
    }

    private boolean isSmall(Dirty dirty) {
        return dirty.start + state.rangesOf(dirty).end() <= chunks.settings().inlineMax();
    }

    private boolean patchInline(Dirty dirty) throws IOException {
        FileState.await(dirty.previous());
        state.lockCommits();
        try {
            var patches = new ArrayList<Patch>();
            var ranges = state.rangesOf(dirty);
            ranges.each((from, to) -> patches.add(new Patch(dirty.start + from, bytes(dirty.view(from, to)))));
            if (!ranges.isEmpty()) {
                long end = dirty.start + ranges.end();
                var done = chunks.table().patchInline(state.ino(), patches, end, state.writtenAt(), chunks.settings().inlineMax());
                if (done.isEmpty()) {
                    return false;
                }
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

    private void upload(Dirty dirty) throws IOException {
        var uploaded = state.rangesOf(dirty);
        if (uploaded.isEmpty()) {
            state.committed(dirty);
            return;
        }
        long id = chunks.table().newBlock();
        var row = store(id, dirty, uploaded);
        FileState.await(dirty.previous());
        state.lockCommits();
        boolean used = false;
        try {
            var extents = extents(dirty, uploaded, state.rangesOf(dirty), id);
            if (!extents.isEmpty()) {
                commit(row, extents);
                used = true;
            }
            state.committed(dirty);
        } finally {
            state.unlockCommits();
        }
        if (!used) {
            discard(id);
        }
    }

    /** Deletes a block that nobody came to name. If that fails the block is garbage, which is found by its id; no byte of the file is concerned. */
    private void discard(long id) {
        try {
            chunks.blocks().delete(id);
        } catch (IOException left) {
            // see above
        }
    }

    private BlockRow store(long id, Dirty dirty, Ranges ranges) throws IOException {
        if (ranges.count() == 1) {
            return chunks.blocks().write(id, state.ino(), dirty.view(ranges.first(), ranges.end()), NO_STARTS);
        }
        try (var packed = chunks.blocks().room(ranges.bytes())) {
            var raw = packed.view(ranges.bytes());
            ranges.each((from, to) -> raw.put(dirty.view(from, to)));
            return chunks.blocks().write(id, state.ino(), raw.flip(), NO_STARTS);
        }
    }

    /** The extents of what is left of the uploaded ranges. The block holds the uploaded ranges back to back. */
    private static List<Extent> extents(Dirty dirty, Ranges uploaded, Ranges left, long id) {
        var extents = new ArrayList<Extent>();
        int[] base = {0};
        uploaded.each((from, to) -> {
            left.within(from, to, (first, last) ->
                    extents.add(new Extent(dirty.start + first, last - first, id, (long) base[0] + first - from)));
            base[0] += to - from;
        });
        return extents;
    }

    private void commit(BlockRow row, List<Extent> extents) throws IOException {
        var commit = new FileCommit(List.of(row), extents, extents.getLast().end(), state.writtenAt(), -1);
        while (chunks.table().commit(state.ino(), commit).isEmpty()) {
            absorbInline();
        }
    }

    /** The file outgrew its inline row: stores those bytes as a block of their own, below the new ones. */
    private void absorbInline() throws IOException {
        var content = chunks.table().content(state.ino(), 0, 1);
        if (!content.isInline()) {
            return;
        }
        long id = chunks.table().newBlock();
        byte[] inline = content.inline();
        try (var slab = chunks.blocks().room(inline.length)) {
            var raw = slab.view(inline.length).put(inline).flip();
            var row = chunks.blocks().write(id, state.ino(), raw, NO_STARTS);
            var extents = List.of(new Extent(0, inline.length, id, 0));
            var attributes = content.attributes();
            var commit = new FileCommit(List.of(row), extents, inline.length, state.writtenAt(), attributes.version());
            if (chunks.table().commit(state.ino(), commit).isEmpty()) {
                discard(id);
            }
        }
    }
}
