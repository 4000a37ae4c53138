package volsh.trace;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.cache.Rehearsal;
import volsh.unit.ByteSize;

/**
 * The predicted hits of a cache of this size for the reads of a trace.
 *
 * @param all      the fraction of all reads of frames, including the first of each
 * @param repeated the fraction of reads of frames that were read before
 * @param reads    of frames, in the trace
 * @param data     bytes of frames that were read, each counted once
 */
public record Prediction(ByteSize cache, Rehearsal.Manner manner, double all, double repeated, long reads,
        ByteSize data) {
    /** The length of a frame of a block. */
    public static final int FRAME = 128 << 10;

    /** One for each size. Reads that failed or returned nothing do not count. */
    public static List<Prediction> of(Trace trace, List<ByteSize> sizes, Rehearsal.Manner manner) {
        var ends = ends(trace);
        long data = ends.values().stream().mapToLong(Long::longValue).sum();
        return sizes.stream().map(size -> of(trace, size, manner, ends, data)).toList();
    }

    private static Prediction of(Trace trace, ByteSize size, Rehearsal.Manner manner, Map<Long, Long> ends, long data) {
        var rehearsal = new Rehearsal(size.bytes(), manner);
        for (var event : trace.events()) {
            if (event.isRead() && event.asked().result() > 0) {
                read(rehearsal, event.asked().node(), event.asked().offset(), event.asked().result(),
                        ends.getOrDefault(event.asked().node(), 0L));
            }
        }
        return new Prediction(size, manner, rehearsal.hitRatio(), rehearsal.repeatedHitRatio(), rehearsal.reads(),
                new ByteSize(data));
    }

    /** How far each file was read. */
    private static Map<Long, Long> ends(Trace trace) {
        var ends = new HashMap<Long, Long>();
        for (var event : trace.events()) {
            if (event.isRead() && event.asked().result() > 0) {
                ends.merge(event.asked().node(), event.asked().offset() + event.asked().result(), Math::max);
            }
        }
        return ends;
    }

    private static void read(Rehearsal rehearsal, long file, long offset, long length, long end) {
        for (long at = offset; at < offset + length; ) {
            long frame = at / FRAME;
            long until = Math.min((frame + 1) * FRAME, offset + length);
            rehearsal.read(file, (int) frame, (int) (until - at), (int) Math.min(FRAME, end - frame * FRAME));
            at = until;
        }
    }
}
