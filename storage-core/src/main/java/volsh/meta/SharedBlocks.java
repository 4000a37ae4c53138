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
 * Finds blocks by content, so that bytes the volume already has are shared instead of stored again. Digests are keyed
 * with a secret of this volume. A block found here may die before it is used; {@link #lay} checks again, in the
 * transaction that counts the new reference. The digest rows are removed when the block is reclaimed.
 */
public final class SharedBlocks {
    /** Pieces laid by one transaction: each touches about ten keys. */
    private static final int PIECES_MAX = 50;
    private static final int KEY_BYTES = 32;
    private static final MetaKey SECRET = Keys.setting("digest-key");

    private final Changes changes;

    SharedBlocks(Changes changes) {
        this.changes = changes;
    }

    /**
     * A run of bytes of a file within a block.
     *
     * @param digest of the whole block; empty if the block is not to be found by content
     * @param fresh  the block's row, if no row names the block yet
     */
    public record Piece(Extent extent, Optional<Digest> digest, Optional<BlockRow> fresh) {}

    /** The key of this volume's digests; created on first use. */
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

    /** The live block that holds exactly {@code length} bytes with this digest, if there is one. */
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

    /** Blocks never change and ids are never used again: one that lives still has these bytes. */
    private static boolean isAlive(View view, Extent part) throws IOException {
        byte[] row = view.tx.get(Keys.block(part.block()));
        byte[] uses = view.tx.get(Keys.uses(part.block()));
        return row != null && View.parseBlock(part.block(), row).rawSize() >= part.offset() + part.length()
                && (uses == null || number(uses) > 0);
    }

    /** The new attributes, and the pieces whose block died before it could be shared: store and lay them again. */
    public record Laid(Attributes attributes, List<Piece> lost) {}

    /** Lays pieces, in file order and none empty, under a file without inline bytes, and sets its size. */
    public Laid lay(long ino, List<Piece> pieces, long size) throws IOException {
        var lost = new ArrayList<Piece>();
        var introduced = new HashSet<Long>();
        int from = 0;
        Attributes attributes;
        do {
            var some = pieces.subList(from, Math.min(from + PIECES_MAX, pieces.size()));
            boolean last = from + some.size() == pieces.size();
            var laid = changes.change(edit -> step(edit, ino, some, last ? size : 0, introduced));
            some.stream().filter(piece -> piece.fresh().isPresent())
                    .forEach(piece -> introduced.add(piece.extent().block()));
            lost.addAll(laid.lost());
            attributes = laid.attributes();
            from += some.size();
        } while (from < pieces.size());
        return new Laid(attributes, lost);
    }

    private static Laid step(Edit edit, long ino, List<Piece> pieces, long size, Set<Long> introduced)
            throws IOException {
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

    private static boolean isUsable(Edit edit, Piece piece, Set<Long> introduced, Map<Digest, Long> remembered)
            throws IOException {
        long block = piece.extent().block();
        if (piece.fresh().isEmpty()) {
            return isAlive(edit, piece.extent());
        }
        if (!introduced.contains(block)) {
            edit.uses().introduce(piece.fresh().get());
            if (piece.digest().isPresent() && remembered.putIfAbsent(piece.digest().get(), block) == null) {
                remember(edit, piece.digest().get(), block, piece.extent().length());
            }
        }
        return true;
    }

    /** Records the digest of a block unless a live block already has it. */
    private static void remember(Edit edit, Digest digest, long block, long length) throws IOException {
        byte[] other = edit.tx.get(Keys.digest(digest));
        if (other == null || !isAlive(edit, number(other), length)) {
            edit.tx.put(Keys.digest(digest), ByteBuffer.allocate(Long.BYTES).putLong(block).array());
            edit.tx.put(Keys.digestOf(block), digest.bytes());
        }
    }

    /** Stops this block from being found by content. */
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
