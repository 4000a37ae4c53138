package volsh.chunk;

import java.util.LinkedHashMap;
import java.util.List;
import volsh.fs.Extent;

/**
 * Notices which parts of files are crowded with extents, at no cost to who reads and writes: a reader has the extents in
 * hand, and of what is written it is only counted how often. Who is told looks for himself.
 */
final class Crowds {
    /** Parts whose writes are counted, those written last. */
    private static final int COUNTED_MAX = 4096;

    private final int span;
    private final int most;
    private final LinkedHashMap<Part, Integer> written = new LinkedHashMap<>(16, 0.75f, true);
    private volatile Crowded listener = Crowded.NOBODY;

    private record Part(long ino, long start) {}

    Crowds(ChunkSettings settings) {
        this.span = settings.crowdSpan();
        this.most = settings.crowdMax();
    }

    void tell(Crowded someone) {
        listener = someone;
    }

    /** These extents were laid over a file, within one window. Each may have cut another one in two. */
    void wrote(long ino, List<Extent> extents) {
        if (listener != Crowded.NOBODY) {
            for (var extent : extents) {
                long start = extent.start() - extent.start() % span;
                if (extent.start() > start && isDue(new Part(ino, start))) {   // one from the start on replaces itself, or is the first
                    listener.found(ino, start);
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

    /** The metadata said so of a file. */
    void saw(long ino, List<Extent> extents) {
        if (extents.size() <= most || listener == Crowded.NOBODY) {
            return;
        }
        int first = 0;
        for (int i = 1; i <= extents.size(); i++) {
            if (i == extents.size() || extents.get(i).start() / span != extents.get(first).start() / span) {
                if (joints(extents.subList(first, i)) >= most) {
                    listener.found(ino, extents.get(first).start() / span * span);
                }
                first = i;
            }
        }
    }

    /** How often one begins where another one ends: what holes part, nothing can join. */
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

    /** Does this one begin or end where another one does? */
    static boolean hasNeighbour(List<Extent> extents, int index) {
        return touches(extents, index) || touches(extents, index + 1);
    }
}
