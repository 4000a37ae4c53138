package volsh.chunk;

import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.fs.Extent;

/**
 * Notices parts of files that are crowded with extents, at no cost to reads and writes: a reader has the extents at
 * hand, and of writes only the number is counted. The listener then looks at the extents itself.
 */
final class Crowds {
    /** The number of parts whose writes are counted, the most recently written ones. */
    private static final int COUNTED_MAX = 4096;
    /** This many extents for each block are parts of few blocks. */
    private static final int PARTS_MIN = 4;

    private final int span;
    private final int most;
    private final LinkedHashMap<Part, Integer> written = new LinkedHashMap<>(16, 0.75f, true);
    private volatile @Nullable Crowded listener;   // null: extents are not merged

    private record Part(long ino, long start) {}

    Crowds(ChunkSettings settings) {
        this.span = settings.crowdSpan();
        this.most = settings.crowdMax();
    }

    void tell(Crowded other) {
        listener = other;
    }

    /** These extents were written to a file, within one window. Each may have split another extent. */
    void wrote(long ino, List<Extent> extents) {
        var told = listener;
        if (told != null) {
            for (var extent : extents) {
                long start = extent.start() - extent.start() % span;
                if (extent.start() > start && isDue(new Part(ino, start))) {   // else it replaces one, or is the first
                    told.found(ino, start);
                }
            }
        }
    }

    private synchronized boolean isDue(Part part) {
        int count = written.merge(part, 1, Integer::sum);
        if (2 * count < most) {
            if (written.size() > COUNTED_MAX) {
                var _ = written.pollFirstEntry();
            }
            return false;
        }
        written.remove(part);
        return true;
    }

    /** These extents of a file were read from the metadata. */
    void saw(long ino, List<Extent> extents) {
        var told = listener;
        if (extents.size() <= most || told == null) {
            return;
        }
        int first = 0;
        for (int i = 1; i <= extents.size(); i++) {
            if (i == extents.size() || extents.get(i).start() / span != extents.get(first).start() / span) {
                if (isCrowd(extents.subList(first, i), most)) {
                    told.found(ino, extents.get(first).start() / span * span);
                }
                first = i;
            }
        }
    }

    /**
     * Whether {@code most} or more of these extents touch another one, and they are in many blocks. Many parts of few
     * blocks are no crowd: such is a file composed of parts of others, which is read with few gets and would be stored
     * a second time.
     */
    static boolean isCrowd(List<Extent> extents, int most) {
        int joints = joints(extents);
        return joints >= most
                && PARTS_MIN * extents.stream().mapToLong(Extent::block).distinct().count() >= joints;
    }

    /** The number of extents that begin where another ends. Extents beside a hole cannot be merged over it. */
    static int joints(List<Extent> extents) {
        int joints = 0;
        for (int i = 1; i < extents.size(); i++) {
            joints += touches(extents, i) ? 1 : 0;
        }
        return joints;
    }

    private static boolean touches(List<Extent> extents, int second) {
        return second > 0 && second < extents.size() && extents.get(second - 1).end() == extents.get(second).start();
    }

    /** Whether this extent begins or ends where another one does. */
    static boolean hasNeighbour(List<Extent> extents, int index) {
        return touches(extents, index) || touches(extents, index + 1);
    }
}
