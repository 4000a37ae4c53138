package volsh.fs;

import java.util.List;
import java.util.OptionalLong;

/**
 * New bytes of a file whose blocks are already stored. {@code extents} are in file order and do not overlap; {@code
 * size} is the minimum size of the file afterwards; {@code mtime} is when the bytes were written, empty if the time was
 * set explicitly since. {@code absorbed} is the version of the file whose inline bytes these blocks include, -1 for
 * none. {@code moves}, in file order, are what else the blocks contain: bytes that the file already has. Each is
 * applied if it still can be, before the extents are laid. With {@code append} the extents, which are contiguous, are
 * relocated: the first begins at the end of the file at commit.
 */
public record FileCommit(
        List<BlockRow> blocks, List<Extent> extents, long size, OptionalLong mtime, long absorbed, List<Move> moves,
        boolean append) {
    public FileCommit {
        blocks = List.copyOf(blocks);
        extents = List.copyOf(extents);
        moves = List.copyOf(moves);
    }

    /** For bytes with fixed places. */
    public FileCommit(List<BlockRow> blocks, List<Extent> extents, long size, OptionalLong mtime, long absorbed,
            List<Move> moves) {
        this(blocks, extents, size, mtime, absorbed, moves, false);
    }

    /** The same commit relocated to the end of a file of {@code end} bytes. */
    public FileCommit placedAt(long end) {
        long by = end - extents.getFirst().start();
        var placed = extents.stream().map(extent -> new Extent(extent.start() + by, extent.length(), extent.block(),
                extent.offset())).toList();
        return new FileCommit(blocks, placed, size + by, mtime, absorbed, moves, false);
    }

    /** For new bytes alone. */
    public FileCommit(List<BlockRow> blocks, List<Extent> extents, long size, OptionalLong mtime, long absorbed) {
        this(blocks, extents, size, mtime, absorbed, List.of());
    }
}
