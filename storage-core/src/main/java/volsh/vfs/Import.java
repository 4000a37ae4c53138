package volsh.vfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import volsh.chunk.Chunks;
import volsh.chunk.Packer;
import volsh.fs.Extent;
import volsh.fs.FsError;
import volsh.fs.Name;
import volsh.fs.NewFile;
import volsh.fs.Owner;
import volsh.meta.Namespace;

/**
 * Makes small files in batches, with one transaction and at most one stored block for a whole batch. Each file appears
 * whole or not at all.
 */
public final class Import {
    private final Namespace names;
    private final Chunks chunks;

    public Import(Vfs vfs) {
        this.names = vfs.names();
        this.chunks = vfs.chunks();
    }

    /** A file to be made, replacing what has its name. */
    public record Piece(long parent, Name name, int mode, Owner owner, long atime, long mtime, ByteBuffer bytes) {}

    /** The largest number of files in a batch. */
    public int countMax() {
        return Namespace.CREATED_MAX;
    }

    /** The largest total size of the files in a batch. */
    public int bytesMax() {
        return chunks.settings().blockSize();
    }

    /** Makes the files; returns an answer for each: empty if it was made, else why not. */
    public List<Optional<FsError>> run(List<Piece> pieces) throws IOException {
        var policies = new HashMap<Integer, List<Integer>>();
        for (int i = 0; i < pieces.size(); i++) {
            policies.computeIfAbsent(chunks.policy(pieces.get(i).parent()), _ -> new ArrayList<>()).add(i);
        }
        if (policies.size() <= 1) {
            return runAlike(pieces);
        }
        var answers = new ArrayList<Optional<FsError>>(Collections.nCopies(pieces.size(), Optional.empty()));
        for (var group : policies.values()) {
            var some = runAlike(group.stream().map(pieces::get).toList());
            for (int i = 0; i < some.size(); i++) {
                answers.set(group.get(i), some.get(i));
            }
        }
        return answers;
    }

    /** Makes files of directories with the same layout, which may share a block. */
    private List<Optional<FsError>> runAlike(List<Piece> pieces) throws IOException {
        var packed = pieces.stream().filter(piece -> !isInline(piece)).map(Piece::bytes).toList();
        if (packed.isEmpty()) {
            return names.createAll(pieces.stream().map(piece -> file(piece, Optional.empty())).toList(),
                    Optional.empty());
        }
        var pack = chunks.packer().pack(packed, pieces.getFirst().parent());
        var answers = names.createAll(files(pieces, pack), Optional.of(pack.block()));
        if (isUnused(pieces, answers)) {
            chunks.packer().discard(pack);
        }
        return answers;
    }

    private List<NewFile> files(List<Piece> pieces, Packer.Pack pack) {
        var files = new ArrayList<NewFile>(pieces.size());
        var extents = pack.extents().iterator();
        for (var piece : pieces) {
            files.add(isInline(piece) ? file(piece, Optional.empty()) : file(piece, Optional.of(extents.next())));
        }
        return files;
    }

    private static NewFile file(Piece piece, Optional<Extent> extent) {
        Optional<byte[]> inline = extent.isPresent() || !piece.bytes().hasRemaining() ? Optional.empty()
                : Optional.of(bytes(piece.bytes()));
        return new NewFile(piece.parent(), piece.name(), piece.mode(), piece.owner(), piece.atime(), piece.mtime(),
                inline, extent);
    }

    private boolean isInline(Piece piece) {
        return piece.bytes().remaining() <= chunks.settings().inlineMax();
    }

    private boolean isUnused(List<Piece> pieces, List<Optional<FsError>> answers) {
        for (int i = 0; i < pieces.size(); i++) {
            if (!isInline(pieces.get(i)) && answers.get(i).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }
}
