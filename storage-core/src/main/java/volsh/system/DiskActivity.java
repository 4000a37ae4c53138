package volsh.system;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import volsh.unit.ByteSize;

/**
 * The activity of a block device in a time span, in the quantities of {@code iostat -x}: requests and bytes per second,
 * the time of a request including its wait in the queue, its mean size, the average number in flight, and the fraction
 * of time in which any was.
 */
public record DiskActivity(String device, double readsPerSecond, double readBytesPerSecond, double readAwaitMillis,
        double readRequestBytes, double writesPerSecond, double writtenBytesPerSecond, double writeAwaitMillis,
        double writeRequestBytes, double queue, double busy) {
    private static final long SECTOR = 512;

    /** Between two readings that are {@code time} apart; devices that are in both. */
    public static List<DiskActivity> between(Map<String, DiskCounters> before, Map<String, DiskCounters> after,
            Duration time) {
        var found = new ArrayList<DiskActivity>();
        for (var now : after.values()) {
            var then = before.get(now.device());
            if (then != null) {
                found.add(between(then, now, time));
            }
        }
        return found;
    }

    static DiskActivity between(DiskCounters before, DiskCounters after, Duration time) {
        double seconds = time.toNanos() / 1e9;
        long reads = after.reads() - before.reads();
        long writes = after.writes() - before.writes();
        long readBytes = (after.readSectors() - before.readSectors()) * SECTOR;
        long writtenBytes = (after.writtenSectors() - before.writtenSectors()) * SECTOR;
        return new DiskActivity(after.device(),
                reads / seconds, readBytes / seconds, mean(after.readMillis() - before.readMillis(), reads),
                mean(readBytes, reads),
                writes / seconds, writtenBytes / seconds, mean(after.writeMillis() - before.writeMillis(), writes),
                mean(writtenBytes, writes),
                (after.weightedMillis() - before.weightedMillis()) / seconds / 1000,
                Math.min(1, (after.busyMillis() - before.busyMillis()) / seconds / 1000));
    }

    private static double mean(long sum, long count) {
        return count == 0 ? 0 : (double) sum / count;
    }

    /** Whether it was idle. */
    public boolean isIdle() {
        return readsPerSecond == 0 && writesPerSecond == 0;
    }

    private static final double BUSY = 0.8;
    private static final double SLOW_MILLIS = 10;
    private static final long SMALL = 64 * ByteSize.KIB;
    private static final long LARGE = 256 * ByteSize.KIB;
    private static final double MANY = 200;

    /** What these numbers mean for a training job. */
    public Verdict verdict() {
        boolean small = readsPerSecond >= MANY && readRequestBytes < SMALL;
        if (isIdle()) {
            return Verdict.IDLE;
        }
        if (busy >= BUSY && small) {
            return Verdict.SMALL_READS;
        }
        if (busy >= BUSY && writtenBytesPerSecond > readBytesPerSecond) {
            return Verdict.WRITES;
        }
        if (busy >= BUSY) {
            return readAwaitMillis >= SLOW_MILLIS ? Verdict.SATURATED : Verdict.BUSY;
        }
        if (readAwaitMillis >= SLOW_MILLIS && readsPerSecond >= 1) {
            return Verdict.SLOW;
        }
        if (small) {
            return Verdict.SMALL_BUT_FAST;
        }
        return readRequestBytes >= LARGE && readsPerSecond >= 1 ? Verdict.SEQUENTIAL : Verdict.WELL;
    }

    /** An interpretation of the numbers, with what to do. */
    public enum Verdict {
        IDLE("idle: if GPUs wait, it is not for this disk"),
        WELL("not the bottleneck"),
        SEQUENTIAL("large sequential reads, which suit the disk"),
        SMALL_BUT_FAST("many small reads, and it keeps up; shards would need fewer: volsh plan iops"),
        SMALL_READS("saturated by small random reads: pack files into shards, or cache them: volsh cache warm"),
        WRITES("saturated by writes: a checkpoint, or dirty pages: volsh sys dirty"),
        BUSY("always busy but fast: near its limit, more readers will only wait"),
        SATURATED("saturated: requests queue up; fewer readers, a cache (volsh cache warm) or a faster disk"),
        SLOW("slow without being busy: a network disk, a throttled one, or a failing one");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
