package volsh.fs;

import java.util.List;
import java.util.OptionalLong;

/**
 * New bytes of a file whose blocks are stored already. {@code extents} are in file order and do not overlap; {@code size}
 * is what the file has at least afterwards; {@code mtime} is when the bytes were written, empty if the time was set by
 * hand since. {@code absorbed} is the version of the file whose inline bytes these blocks include, -1 if they include none.
 */
public record FileCommit(List<BlockRow> blocks, List<Extent> extents, long size, OptionalLong mtime, long absorbed) {
    public FileCommit {
        blocks = List.copyOf(blocks);
        extents = List.copyOf(extents);
    }
}
