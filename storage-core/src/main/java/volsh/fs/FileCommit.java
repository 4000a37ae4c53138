package volsh.fs;

import java.util.List;
import java.util.OptionalLong;

/**
 * New bytes of a file whose blocks are stored already. {@code extents} are in file order and do not overlap; {@code size}
 * is what the file has at least afterwards; {@code mtime} is when the bytes were written, empty if the time was set by
 * hand since. {@code absorbed} is the version of the file whose inline bytes these blocks include, -1 if they include none.
 * {@code moves}, in file order, are what else the blocks hold: bytes that the file has already. Each is done if it still
 * can be, before the extents are laid. With {@code append} the extents, which follow one another, are not for where they
 * say: the first begins where the file ends when this is committed.
 */
public record FileCommit(
        List<BlockRow> blocks, List<Extent> extents, long size, OptionalLong mtime, long absorbed, List<Move> moves, boolean append) {
    public FileCommit {
        blocks = List.copyOf(blocks);
        extents = List.copyOf(extents);
        moves = List.copyOf(moves);
    }

    /** Of bytes that know their place. */
    public FileCommit(List<BlockRow> blocks, List<Extent> extents, long size, OptionalLong mtime, long absorbed, List<Move> moves) {
        this(blocks, extents, size, mtime, absorbed, moves, false);
    }

    /** The same for the end of a file that is {@code end} bytes long. */
    public FileCommit placedAt(long end) {
        long by = end - extents.getFirst().start();
        var placed = extents.stream().map(extent -> new Extent(extent.start() + by, extent.length(), extent.block(), extent.offset())).toList();
        return new FileCommit(blocks, placed, size + by, mtime, absorbed, moves, false);
    }

    /** Of new bytes alone. */
    public FileCommit(List<BlockRow> blocks, List<Extent> extents, long size, OptionalLong mtime, long absorbed) {
        this(blocks, extents, size, mtime, absorbed, List.of());
    }
}
