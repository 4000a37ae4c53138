package volsh.fs;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a file held at one moment: its attributes, its bytes if they are kept inline, else the extents that meet the range
 * asked for and the rows of the blocks they name. {@code complete} is false when the range met more extents than are
 * listed; ask again from the end of the last one.
 */
public record Content(
        Attributes attributes, byte @Nullable [] inline, List<Extent> extents, Map<Long, BlockRow> blocks, boolean complete) {
    public boolean isInline() {
        return inline != null;
    }
}
