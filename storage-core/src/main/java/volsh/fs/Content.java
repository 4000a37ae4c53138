package volsh.fs;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of a file at one moment: its attributes, its bytes if they are inline, otherwise the extents that meet
 * the requested range and the rows of their blocks. {@code complete} is false when the range meets more extents than
 * are listed; continue from the end of the last one.
 */
public record Content(
        Attributes attributes, byte @Nullable [] inline, List<Extent> extents, Map<Long, BlockRow> blocks,
        boolean complete) {
    public boolean isInline() {
        return inline != null;
    }

    /** The row of the block of one of the extents. */
    public BlockRow block(Extent extent) {
        return Objects.requireNonNull(blocks.get(extent.block()));
    }
}
