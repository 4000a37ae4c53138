package volsh.chunk;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.fs.Content;
import volsh.fs.Extent;

/**
 * An answer of the metadata for {@code [from, to)} of a file of this version and size: its bytes if they are inline,
 * else the extents that overlap the range, in order, and their blocks.
 */
record FileSegment(
        long from, long to, long version, long size, byte @Nullable [] inline, List<Extent> extents,
        Map<Long, StoredBlock> blocks) {
    private static final int INLINE_WEIGHT = 256;

    /** Makes a segment of the answer to a question for {@code [from, to)}. */
    static FileSegment of(Content content, long from, long to, BlockReader reader) throws IOException {
        var blocks = new HashMap<Long, StoredBlock>();
        for (var row : content.blocks().values()) {
            blocks.put(row.id(), reader.describe(row));
        }
        var extents = content.extents();
        var attributes = content.attributes();
        boolean whole = content.isInline() || content.complete() && attributes.size() <= to;
        long reached = whole ? Long.MAX_VALUE : content.complete() ? to : extents.getLast().end();
        return new FileSegment(
                content.isInline() ? 0 : from, reached, attributes.version(), attributes.size(), content.inline(),
                extents, blocks);
    }

    boolean covers(long offset) {
        return from <= offset && offset < to;
    }

    boolean isInline() {
        return inline != null;
    }

    /** The block of one of the extents. */
    StoredBlock block(Extent extent) {
        return Objects.requireNonNull(blocks.get(extent.block()));
    }

    /** How much memory it takes, in extents. */
    int weight() {
        return 1 + extents.size() + (inline != null ? inline.length / INLINE_WEIGHT : 0);
    }

    /** The number of the first extent that ends behind {@code offset}. */
    int firstBehind(long offset) {
        int low = 0;
        int high = extents.size();
        while (low < high) {
            int middle = low + high >>> 1;
            if (extents.get(middle).end() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
