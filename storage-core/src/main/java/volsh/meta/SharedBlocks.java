package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import volsh.engine.Keys;
import volsh.engine.MetaKey;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Digest;
import volsh.fs.Extent;

/**
 * Blocks that are found by what they hold, so that bytes the volume has already are shared and not stored again. Digests are of this
 * volume alone: a key of its own goes into them. Who finds a block here has nothing yet, for it may die meanwhile; {@link #lay} asks
 * again, in the transaction that counts the new reference. What is known of a block goes with its rows, when it is reclaimed.
 */
public final class SharedBlocks {
    /** Pieces one transaction lays: each touches about ten keys. */
    private static final int PIECES_MAX = 50;
    private static final int KEY_BYTES = 32;
    private static final MetaKey SECRET = Keys.setting("digest-key");

    private final Changes changes;

    SharedBlocks(Changes changes) {
        this.changes = changes;
    }

    /**
     * A run of bytes of a file that is in a block.
     *
     * @param digest of all that the block holds; empty if nobody is to find it
     * @param fresh  the block's row, if no row names the block yet
     */
    public record Piece(Extent extent, Optional<Digest> digest, Optional<BlockRow> fresh) {}

    /** What goes into the digests of this volume first: made once, by whoever asks first. */
    public byte[] secret() throws IOException {
        byte[] known = changes.look(view -> view.tx.get(SECRET));
        if (known != null) {
            return known;
        }
        byte[] made = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(made);
        return changes.change(edit -> {
            byte[] first = edit.tx.get(SECRET);
            if (first == null) {
                edit.tx.put(SECRET, made);
            }
            return first == null ? made : first;
        });
    }

    /** The living block that holds exactly {@code length} bytes with this digest, if there is one. */
    public Optional<Long> find(Digest digest, long length) throws IOException {
        return changes.look(view -> {
            byte[] row = view.tx.get(Keys.digest(digest));
            return row != null && isAlive(view, number(row), length) ? Optional.of(number(row)) : Optional.empty();
        });
    }

    private static long number(byte[] row) {
        return ByteBuffer.wrap(row).getLong();
    }

    private static boolean isAlive(View view, long block, long length) throws IOException {
        byte[] row = view.tx.get(Keys.block(block));
        byte[] uses = view.tx.get(Keys.uses(block));
        return row != null && View.parseBlock(block, row).rawSize() == length && (uses == null || number(uses) > 0);
    }

    /** What a file has now, and the pieces whose block died before it could be shared: store them and lay them again. */
    public record Laid(Attributes attributes, List<Piece> lost) {}

    /** Lays pieces, in the order of the file and none of them empty, under a file that has no inline bytes, and makes it {@code size} long. */
    public Laid lay(long ino, List<Piece> pieces, long size) throws IOException {
        var lost = new ArrayList<Piece>();
        var introduced = new HashSet<Long>();
        int from = 0;
        Attributes attributes;
        do {
            var some = pieces.subList(from, Math.min(from + PIECES_MAX, pieces.size()));
            boolean last = from + some.size() == pieces.size();
            var laid = changes.change(edit -> step(edit, ino, some, last ? size : 0, introduced));
            some.stream().filter(piece -> piece.fresh().isPresent()).forEach(piece -> introduced.add(piece.extent().block()));
            lost.addAll(laid.lost());
            attributes = laid.attributes();
            from += some.size();
        } while (from < pieces.size());
        return new Laid(attributes, lost);
    }

    private static Laid step(Edit edit, long ino, List<Piece> pieces, long size, Set<Long> introduced) throws IOException {
        var node = edit.regular(ino);
        if (node.storage() == NodeRow.Storage.INLINE) {
            throw new IllegalStateException("inode %d has inline bytes".formatted(ino));
        }
        var rows = new FileRows(edit, ino);
        var lost = new ArrayList<Piece>();
        var remembered = new HashMap<Digest, Long>();
        long end = size;
        for (var piece : pieces) {
            if (isUsable(edit, piece, introduced, remembered)) {
                rows.lay(piece.extent());
                end = Math.max(end, piece.extent().end());
            } else {
                lost.add(piece);
            }
        }
        var attributes = Files.write(edit, ino, node, NodeRow.Storage.EXTENTS, Math.max(node.size(), end),
                node.allocated() + rows.allocatedChange(), OptionalLong.of(edit.now));
        return new Laid(attributes, lost);
    }

    private static boolean isUsable(Edit edit, Piece piece, Set<Long> introduced, Map<Digest, Long> remembered) throws IOException {
        long block = piece.extent().block();
        if (piece.fresh().isEmpty()) {
            return isAlive(edit, block, piece.extent().length());
        }
        if (!introduced.contains(block)) {
            edit.uses().introduce(piece.fresh().get());
            if (piece.digest().isPresent() && remembered.putIfAbsent(piece.digest().get(), block) == null) {
                remember(edit, piece.digest().get(), block, piece.extent().length());
            }
        }
        return true;
    }

    /** Unless a living block has that digest already. */
    private static void remember(Edit edit, Digest digest, long block, long length) throws IOException {
        byte[] other = edit.tx.get(Keys.digest(digest));
        if (other == null || !isAlive(edit, number(other), length)) {
            edit.tx.put(Keys.digest(digest), ByteBuffer.allocate(Long.BYTES).putLong(block).array());
            edit.tx.put(Keys.digestOf(block), digest.bytes());
        }
    }

    /** Nobody finds this block any more. */
    static void forget(Edit edit, long block) throws IOException {
        byte[] known = edit.tx.get(Keys.digestOf(block));
        if (known != null) {
            var key = Keys.digest(new Digest(known));
            byte[] row = edit.tx.get(key);
            if (row != null && number(row) == block) {
                edit.tx.delete(key);
            }
            edit.tx.delete(Keys.digestOf(block));
        }
    }
}
