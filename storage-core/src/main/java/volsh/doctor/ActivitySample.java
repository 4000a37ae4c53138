package volsh.doctor;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import volsh.cache.disk.DirectoryUsage;
import volsh.fuse.OperationStats;
import volsh.mount.MountStats;
import volsh.system.DiskActivity;
import volsh.system.Pressure;
import volsh.unit.ByteSize;

/**
 * What a mount and its machine did in a time span. Times of operations and gets are sums over all threads: two threads
 * that wait a second each make two seconds.
 *
 * @param opens        files opened or created
 * @param metadataTime time of requests other than reads and writes
 * @param getTime      time of gets from the store
 * @param hits         frames found in memory or in a cache directory from before this pass; readahead does not count
 * @param misses       frames that came from the store, whether a reader waited for them or they were read ahead
 * @param cacheBytes   content of the caches, in memory and in directories, of {@code cacheBudget}
 * @param decodeTime   time to check and decode blocks
 * @param lockTime     time waiting for file locks
 * @param stagedBefore bytes in the journal at the beginning, and {@code stagedAfter} at the end
 * @param opened       regular files that were opened, and their lengths
 * @param cacheDirectories how many there are: without one nothing can be warmed
 */
public record ActivitySample(Duration time, long opens, long metadata, Duration metadataTime, long reads,
        long readBytes, Duration readTime, Duration readLate,
        long writes, long writtenBytes, Duration writeTime, long gets, long gotBytes, Duration getTime, long hits,
        long misses, long evictions,
        long cacheBytes, long cacheBudget, long stagedBefore, long stagedAfter, Duration decodeTime, Duration lockTime,
                List<DiskActivity> disks, Optional<Pressure> pressure, MountStats.Opened opened, int cacheDirectories) {
    private static final Set<String> OPENS = Set.of("open", "create");
    /** Operations that wait for the disk by design, or for another program. */
    private static final Set<String> NOT_COUNTED = Set.of("fsync", "fsyncdir", "setlkw", "flush", "release",
            "interrupt", "forget");

    /** The difference between two statistics of a mount. */
    public static ActivitySample between(MountStats before, MountStats after, Duration time, List<DiskActivity> disks,
            Optional<Pressure> pressure) {
        Map<String, OperationStats.Row> earlier = new HashMap<>();
        before.operations().forEach(row -> earlier.put(row.operation(), row));
        var sums = new Sums();
        for (var row : after.operations()) {
            sums.add(row,
                    earlier.getOrDefault(row.operation(), new OperationStats.Row(row.operation(), 0, 0, 0, 0, 0, 0)));
        }
        var moved = after.traffic().minus(before.traffic());
        var cache = caches(after).minus(caches(before));
        return new ActivitySample(time, sums.opens, sums.metadata, Duration.ofNanos(sums.metadataNanos), sums.reads,
                after.readBytes() - before.readBytes(),
                Duration.ofNanos(sums.readNanos), Duration.ofNanos(sums.readLate), sums.writes,
                        after.writtenBytes() - before.writtenBytes(),
                Duration.ofNanos(sums.writeNanos), moved.gets(), moved.gotBytes(), Duration.ofNanos(moved.getNanos()),
                cache.hits, cache.misses,
                cache.evictions, caches(after).bytes, caches(after).budget, before.staged().bytes(),
                after.staged().bytes(),
                Duration.ofNanos(after.decodeNanos() - before.decodeNanos()), Duration.ofNanos(sums.lockNanos), disks,
                pressure,
                after.opened().minus(before.opened()), after.directories().size());
    }

    /** Sums of operations by kind. */
    private static final class Sums {
        private long opens;
        private long metadata;
        private long metadataNanos;
        private long reads;
        private long readNanos;
        private long readLate;
        private long writes;
        private long writeNanos;
        private long lockNanos;

        void add(OperationStats.Row now, OperationStats.Row then) {
            long count = now.count() - then.count();
            long nanos = now.total() - then.total();
            if (now.operation().equals("read")) {
                reads = count;
                readNanos = nanos;
                readLate = count == 0 ? 0 : now.p99();
            } else if (now.operation().equals("write")) {
                writes = count;
                writeNanos = nanos;
            } else if (!NOT_COUNTED.contains(now.operation())) {
                metadata += count;
                metadataNanos += nanos;
            }
            lockNanos += now.operation().equals("setlkw") ? nanos : 0;
            opens += OPENS.contains(now.operation()) ? count : 0;
        }
    }

    private record Caches(long hits, long misses, long evictions, long bytes, long budget) {
        Caches minus(Caches before) {
            return new Caches(hits - before.hits, misses - before.misses, evictions - before.evictions, bytes, budget);
        }
    }

    /** A frame that memory misses and a directory has is a hit; a miss of the last directory is a miss. */
    private static Caches caches(MountStats stats) {
        long found = stats.directories().stream().mapToLong(DirectoryUsage::hits).sum();
        long evicted = stats.directories().stream().mapToLong(DirectoryUsage::evictions).sum();
        boolean disk = !stats.directories().isEmpty();
        return new Caches(stats.cache().hits() + found, Math.max(0, stats.cache().misses() - found), disk ? evicted
                : stats.cache().evictions(),
                stats.cache().bytes() + stats.directories().stream().mapToLong(DirectoryUsage::bytes).sum(),
                stats.cache().budget() + stats.directories().stream().mapToLong(DirectoryUsage::quotaBytes).sum());
    }


    /** Total time of all requests. */
    public Duration served() {
        return metadataTime.plus(readTime).plus(writeTime);
    }

    /** The average number of requests in flight. */
    public double underWay() {
        return (double) served().toNanos() / time.toNanos();
    }

    /** The fraction of the requests' time spent on names and attributes. */
    public double metadataPart() {
        return part(metadataTime, served());
    }

    /** The largest possible fraction of the requests' time that reads waited for the store: includes readahead. */
    public double storePart() {
        return Math.min(part(getTime, served()), part(readTime, served()));
    }

    private static double part(Duration some, Duration all) {
        return all.isZero() ? 0 : Math.min(1, (double) some.toNanos() / all.toNanos());
    }

    /**
     * The fraction of requested frames that were in a cache, in memory or on a disk, before this pass. Without any: 1
     * if something was read, like small files with their metadata; 0 if nothing was, so that nothing is known of the
     * cache.
     */
    public double hitRatio() {
        long asked = hits + misses;
        return asked == 0 ? readBytes > 0 ? 1 : 0 : (double) hits / asked;
    }

    /** The same since the mount began. */
    public static double hitRatio(MountStats stats) {
        return between(MountStats.NONE, stats, Duration.ofMillis(1), List.of(), Optional.empty()).hitRatio();
    }

    public Duration meanGet() {
        return mean(getTime, gets);
    }

    public Duration meanMetadata() {
        return mean(metadataTime, metadata);
    }

    private static Duration mean(Duration sum, long count) {
        return count == 0 ? Duration.ZERO : sum.dividedBy(count);
    }

    public ByteSize meanRead() {
        return new ByteSize(reads == 0 ? 0 : readBytes / reads);
    }

    /** The average length of opened files, plus what was written to each, served by the mount or the kernel. */
    public ByteSize perOpen() {
        return new ByteSize(opened.files() == 0 ? 0 : (opened.bytes() + writtenBytes) / opened.files());
    }

    public double readRate() {
        return readBytes / (time.toNanos() / 1e9);
    }
}
