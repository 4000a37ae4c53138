package volsh.vfs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import volsh.chunk.Chunks;
import volsh.fs.Content;
import volsh.fs.Extent;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.SharedBlocks;
import volsh.meta.SharedBlocks.Piece;

/**
 * A new file made of the contents of others and of bytes of its own, one behind the other. Contents that are in blocks
 * are shared, not stored again; all its own bytes go into few blocks. Afterwards it is a file like any other: nothing
 * that happens to the others changes it. It appears when it is {@link #place placed}.
 */
public final class Composition implements AutoCloseable {
    private static final int PIECES_MAX = 4000;

    private final Vfs vfs;
    private final SharedBlocks blocks;
    private final Chunks chunks;
    private final long directory;
    private final OpenFile file;
    private final ByteArrayOutputStream own = new ByteArrayOutputStream();
    private final List<Extent> ownRuns = new ArrayList<>();   // of a block that has no number yet
    private final List<Piece> shared = new ArrayList<>();
    private long length;
    private long ownBytes;
    private long storedBytes;

    /** A file that will be in this directory. */
    public Composition(Vfs vfs, long directory, int mode, Owner owner) throws IOException {
        this.vfs = vfs;
        this.blocks = vfs.names().shared();
        this.chunks = vfs.chunks();
        this.directory = directory;
        this.file = vfs.createUnnamed(directory, mode, owner);
    }

    /** Its length so far. */
    public long length() {
        return length;
    }

    /** How many of its bytes are its own. */
    public long ownBytes() {
        return ownBytes;
    }

    /** What its own bytes take in the store, once it is placed. */
    public long storedBytes() {
        return storedBytes;
    }

    /** Appends bytes of its own. */
    public void append(byte[] bytes) throws IOException {
        int most = chunks.settings().blockSize();
        for (int at = 0; at < bytes.length; ) {
            int count = Math.min(bytes.length - at, most - own.size());
            var run = new Extent(length, count, 0, own.size());
            boolean continues = !ownRuns.isEmpty() && ownRuns.getLast().isContinuedBy(run);
            ownRuns.add(continues ? ownRuns.removeLast().and(run) : run);
            own.write(bytes, at, count);
            at += count;
            length += count;
            ownBytes += count;
            if (own.size() == most) {
                lay();
            }
        }
    }

    /**
     * Appends the content of a file of the same volume as {@code source} shows it, now or in the past.
     *
     * @throws ChangedFileException if the file does not have this size
     */
    public void append(Vfs source, long ino, long size) throws IOException {
        Content content;
        long from = 0;
        do {
            content = source.content(ino, from, Long.MAX_VALUE - 1);
            if (content.attributes().size() != size) {
                throw new ChangedFileException();
            }
            if (content.isInline()) {
                append(content, size);
                return;
            }
            for (var extent : content.extents()) {
                shared.add(new Piece(new Extent(length + extent.start(), extent.length(), extent.block(),
                        extent.offset()), Optional.empty(), Optional.empty()));
            }
            from = content.extents().isEmpty() ? size : content.extents().getLast().end();
        } while (!content.complete());
        length += size;
        if (shared.size() >= PIECES_MAX) {
            lay();
        }
    }

    /** Inline bytes may be fewer than the file has: the rest is a hole. */
    private void append(Content content, long size) throws IOException {
        byte[] bytes = new byte[Math.toIntExact(size)];
        byte[] inline = Objects.requireNonNull(content.inline());
        System.arraycopy(inline, 0, bytes, 0, Math.min(bytes.length, inline.length));
        append(bytes);
    }

    /** Another process changed or removed a file while it was appended. */
    public static final class ChangedFileException extends IOException {
        private static final long serialVersionUID = 1;

        ChangedFileException() {
            super("changed meanwhile");
        }
    }

    /** Stores its own bytes so far, and puts these and the shared blocks under the file. */
    private void lay() throws IOException {
        var pieces = new ArrayList<>(shared);
        if (own.size() > 0) {
            try (var draft = chunks.draft(own.size())) {
                var bytes = ByteBuffer.wrap(own.toByteArray());
                for (var part : draft.bytes()) {
                    int count = part.remaining();
                    part.put(bytes.slice(bytes.position(), count));
                    bytes.position(bytes.position() + count);
                }
                var row = draft.store(file.ino(), ownRuns.getFirst().start());
                storedBytes += row.storedSize();
                ownRuns.forEach(run -> pieces.add(new Piece(new Extent(run.start(), run.length(), row.id(),
                        run.offset()), Optional.empty(), Optional.of(row))));
            }
        }
        own.reset();
        ownRuns.clear();
        shared.clear();
        pieces.sort(Comparator.comparingLong(piece -> piece.extent().start()));
        var laid = file.state().reshape(() -> blocks.lay(file.ino(), pieces, length));
        if (!laid.lost().isEmpty()) {
            throw new ChangedFileException();
        }
    }

    /** Gives the file its name, replacing a file of that name. */
    public void place(Name name) throws IOException {
        lay();
        vfs.place(file, directory, name);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
