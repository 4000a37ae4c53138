package volsh.command.mount;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Counted;
import volsh.cache.disk.DirectoryUsage;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fuse.OperationStats;
import volsh.mount.MountStats;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.LatencyHistogram;
import volsh.unit.Rate;
import volsh.unit.Span;
import volsh.warm.WholeFiles;

@Command(name = "stats", description = {"Show the statistics of a mount.",
        "Shows each operation with its count and times; bytes transferred; requests to the store with their times,"
                + " retries of slow or damaged answers, and the bytes fetched per 100 bytes read; data in the journal"
                + " of --writeback; with PostgreSQL, commits and their retries; and frames (mostly 128 KiB) found in"
                + " the cache, missed, read ahead and evicted, also for each cache directory.",
        "With --interval, counts cover that time; p50, p99 and max always cover the time since the mount began."})
@Examples({"volsh mounts stats /mnt/data", "volsh mounts stats /mnt/data --interval 1s"})
final class MountsStats implements Action<Rows<MountsStats.Row>>, Listing {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("operation", Row::operation)
            .number("count", Row::count)
            .number("failed", Row::failed)
            .span("p50", Row::p50)
            .span("p99", Row::p99)
            .span("max", Row::max)
            .bytes("bytes", Row::bytes)
            .rate("rate", Row::rate);

    @Parameters(paramLabel = "MOUNT", description = "Mount point.")
    private Path directory;

    @Option(names = "--interval", paramLabel = "TIME",
            description = "Measure this long (default: since the mount began).")
    private @Nullable Span interval;

    /** Numbers of one operation, of buffered data, or of the cache. */
    record Row(String operation, long count, long failed, @Nullable Duration p50, @Nullable Duration p99,
            @Nullable Duration max, @Nullable ByteSize bytes, @Nullable Rate rate) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var path = directory.toAbsolutePath().normalize();
        var first = mounts.stats(path);
        if (interval == null) {
            return Rows.of(COLUMNS, rows(first, MountStats.NONE, Duration.ZERO));
        }
        try (var _ = session.cancellation().interrupting()) {
            Thread.sleep(interval.duration());
        }
        return Rows.of(COLUMNS, rows(mounts.stats(path), first, interval.duration()));
    }

    private static List<Row> rows(MountStats now, MountStats before, Duration time) {
        var rows = new ArrayList<Row>();
        for (var row : now.operations()) {
            var earlier = before.operations().stream().filter(other -> other.operation().equals(row.operation()))
                    .findFirst();
            long count = row.count() - earlier.map(OperationStats.Row::count).orElse(0L);
            if (count > 0) {
                rows.add(row(row, count, row.failed() - earlier.map(OperationStats.Row::failed).orElse(0L),
                        bytes(row.operation(), now, before), time));
            }
        }
        addTraffic(rows, now, before, time);
        if (now.metadata().commits() > 0) {
            rows.add(counted("metadata commit", now.metadata().minus(before.metadata()).commits()));
            rows.add(counted("metadata commit, retried: conflict", now.metadata().minus(before.metadata()).reruns()));
        }
        rows.add(held("buffered", now.bufferedBytes()));
        if (now.staged().blocks() > 0) {
            rows.add(new Row("staged, not stored yet", now.staged().blocks(), 0, null, null, null,
                    new ByteSize(now.staged().bytes()), null));
        }
        var cache = now.cache();
        rows.add(counted("cache hit", cache.hits() - before.cache().hits()));
        rows.add(counted("cache miss", cache.misses() - before.cache().misses()));
        if (cache.budget() > 0) {
            rows.add(counted("  of these, read ahead in time", cache.ahead() - before.cache().ahead()));
            rows.add(held("cached", cache.bytes()));
            rows.add(counted("cache read ahead", cache.prefetched() - before.cache().prefetched()));
            rows.add(counted("cache eviction", cache.evictions() - before.cache().evictions()));
            rows.add(counted("  of these, passed by advised readers", cache.passed() - before.cache().passed()));
        }
        for (var usage : now.directories()) {
            addDirectory(rows, usage, before);
        }
        addCopies(rows, now.whole(), before.whole(), time);
        return rows;
    }

    /** Whole copies of files in a cache directory; reads from them are the kernel's own and not counted. */
    private static void addCopies(List<Row> rows, WholeFiles.Usage now, WholeFiles.Usage before, Duration time) {
        if (now.quotaBytes() > 0) {
            rows.add(new Row("whole copies", now.copies(), 0, null, null, null, new ByteSize(now.bytes()), null));
            rows.add(moved("whole copy, opened", now.opens() - before.opens(),
                    now.openedBytes() - before.openedBytes(), time));
            rows.add(counted("whole copy, made", now.made() - before.made()));
            rows.add(counted("whole copy, no space", now.refused() - before.refused()));
            rows.add(counted("whole copy, eviction", now.evicted() - before.evicted()));
            rows.add(counted("whole copy, damaged", now.damaged() - before.damaged()));
        }
    }

    /** Adds the traffic with the store, and the bytes fetched per byte read: caches lower it, random reads raise it. */
    private static void addTraffic(List<Row> rows, MountStats now, MountStats before, Duration time) {
        var moved = now.traffic().minus(before.traffic());
        long read = now.readBytes() - before.readBytes();
        rows.add(timed(moved("store get", moved.gets(), moved.gotBytes(), time), now, before));
        rows.add(moved("  of these, the rest of a block", now.completed().blocks() - before.completed().blocks(),
                now.completed().bytes() - before.completed().bytes(), time));
        rows.add(timed(moved("store put", moved.puts(), moved.putBytes(), time), now, before));
        boolean heads = now.store().stream().anyMatch(each -> each.call().equals("head"));   // of a bucket
        for (var call : heads ? List.of("delete", "list", "head") : List.of("delete", "list")) {
            long count = latency(now, call).took().count() - latency(before, call).took().count();
            rows.add(timed(counted("store " + call, count), now, before));
        }
        rows.add(counted("store get, retried: slow", now.repeats().hedges() - before.repeats().hedges()));
        rows.add(counted("  of these, used", now.repeats().hedgesWon() - before.repeats().hedgesWon()));
        rows.add(counted("store get, retried: damaged", now.repeats().rereads() - before.repeats().rereads()));
        if (read > 0) {
            rows.add(new Row("store bytes per 100 read", 100 * moved.gotBytes() / read, 0, null, null, null, null,
                    null));
        }
    }

    /** The row with the times of the calls it counts, and those that failed. */
    private static Row timed(Row row, MountStats now, MountStats before) {
        var call = row.operation().substring("store ".length());
        var latency = latency(now, call);
        var took = latency.took();
        long failed = latency.failed() - latency(before, call).failed();
        return took.count() == 0
                ? new Row(row.operation(), row.count(), failed, null, null, null, row.bytes(), row.rate())
                : new Row(row.operation(), row.count(), failed, Duration.ofNanos(took.p50()),
                        Duration.ofNanos(took.p99()), Duration.ofNanos(took.max()), row.bytes(), row.rate());
    }

    private static Counted.Latency latency(MountStats stats, String call) {
        return stats.store().stream().filter(each -> each.call().equals(call)).findFirst()
                .orElseGet(() -> new Counted.Latency(call, 0, new LatencyHistogram.Summary(0, 0, 0, 0, 0)));
    }

    private static Row moved(String what, long count, long bytes, Duration time) {
        return new Row(what, count, 0, null, null, null, new ByteSize(bytes),
                bytes == 0 || time.isZero() ? null : rate(bytes, time));
    }

    private static Rate rate(long bytes, Duration time) {
        return new Rate((long) (bytes / (time.toNanos() / 1e9)));
    }

    private static void addDirectory(List<Row> rows, DirectoryUsage now, MountStats earlier) {
        var before = earlier.directories().stream().filter(other -> other.directory().equals(now.directory()))
                .findFirst();
        var name = "disk %s ".formatted(now.directory().getParent());
        rows.add(held(name + (now.up() ? "cached" : "cached (bypassed)"), now.bytes()));
        rows.add(counted(name + "hit", now.hits() - before.map(DirectoryUsage::hits).orElse(0L)));
        rows.add(counted(name + "miss", now.misses() - before.map(DirectoryUsage::misses).orElse(0L)));
        rows.add(counted(name + "kept", now.kept() - before.map(DirectoryUsage::kept).orElse(0L)));
        rows.add(counted(name + "not kept", now.skipped() - before.map(DirectoryUsage::skipped).orElse(0L)));
        rows.add(counted(name + "eviction", now.evictions() - before.map(DirectoryUsage::evictions).orElse(0L)));
        rows.add(counted(name + "damaged", now.damaged() - before.map(DirectoryUsage::damaged).orElse(0L)));
        rows.add(counted(name + "failure", now.failures() - before.map(DirectoryUsage::failures).orElse(0L)));
    }

    /** Memory in use. */
    private static Row held(String what, long bytes) {
        return new Row(what, 0, 0, null, null, null, new ByteSize(bytes), null);
    }

    /** Frames of the cache, or requests. */
    private static Row counted(String what, long count) {
        return new Row(what, count, 0, null, null, null, null, null);
    }

    private static long bytes(String operation, MountStats now, MountStats before) {
        return switch (operation) {
            case "read" -> now.readBytes() - before.readBytes();
            case "write" -> now.writtenBytes() - before.writtenBytes();
            default -> -1;
        };
    }

    private static Row row(OperationStats.Row row, long count, long failed, long bytes, Duration time) {
        return new Row(
                row.operation(), count, failed, Duration.ofNanos(row.p50()), Duration.ofNanos(row.p99()),
                Duration.ofNanos(row.max()), bytes < 0 ? null : new ByteSize(bytes),
                bytes < 0 || time.isZero() ? null : rate(bytes, time));
    }
}
