package volsh.command.doctor;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import volsh.doctor.ActivitySample;
import volsh.mount.AtRisk;
import volsh.mount.MountStats;
import volsh.unit.LatencyHistogram;

/** The statistics of mounts in Prometheus format: a name, labels and a number per line. */
final class Exposition {
    private static final double NANOS = 1e9;

    private final StringBuilder text = new StringBuilder();
    private final Map<Path, MountStats> mounts;

    private Exposition(Map<Path, MountStats> mounts) {
        this.mounts = mounts;
    }

    static String of(Map<Path, MountStats> mounts) {
        var made = new Exposition(mounts);
        made.all();
        return made.text.toString();
    }

    private void all() {
        text.append(
                "# HELP volsh_mounts Mounts of this machine that answer.\n# TYPE volsh_mounts gauge\nvolsh_mounts %d\n"
                .formatted(mounts.size()));
        each("volsh_read_bytes_total", "counter", "Bytes read by programs.", MountStats::readBytes);
        each("volsh_written_bytes_total", "counter", "Bytes written by programs.", MountStats::writtenBytes);
        each("volsh_buffered_bytes", "gauge", "Bytes written that only this host's memory holds.",
                MountStats::bufferedBytes);
        each("volsh_staged_bytes", "gauge", "Bytes in the journal that are not in the store yet.",
                stats -> stats.staged().bytes());
        each("volsh_unshipped_commits", "gauge", "Metadata commits that are not in the store yet.",
                stats -> stats.unshipped().map(MountStats.Unshipped::commits).orElse(0L));
        each("volsh_store_gets_total", "counter", "Gets from the store.", stats -> stats.traffic().gets());
        each("volsh_store_get_bytes_total", "counter", "Bytes from the store.", stats -> stats.traffic().gotBytes());
        each("volsh_store_get_seconds_total", "counter", "Total time of gets from the store.", stats ->
                stats.traffic().getNanos() / NANOS);
        each("volsh_store_puts_total", "counter", "Puts to the store.", stats -> stats.traffic().puts());
        each("volsh_store_put_bytes_total", "counter", "Bytes to the store.", stats -> stats.traffic().putBytes());
        each("volsh_cache_hits_total", "counter", "Frames found in memory that an earlier pass had loaded.",
                stats -> stats.cache().hits());
        each("volsh_cache_misses_total", "counter", "Frames loaded into memory, read ahead or on demand.",
                stats -> stats.cache().misses());
        each("volsh_cache_read_ahead_total", "counter", "Misses that readahead loaded before a program asked.",
                stats -> stats.cache().ahead());
        each("volsh_cache_hit_ratio", "gauge", "Share of the frames asked for that memory or a cache directory had, "
                + "since mounting.", ActivitySample::hitRatio);
        each("volsh_cache_bytes", "gauge", "Bytes of frames in memory.", stats -> stats.cache().bytes());
        each("volsh_decode_seconds_total", "counter", "Total time spent verifying and decoding blocks.", stats ->
                stats.decodeNanos() / NANOS);
        each("volsh_at_risk_bytes", "gauge", "Bytes that would be lost with this host.",
                stats -> AtRisk.of(stats).bytes());
        each("volsh_at_risk_seconds", "gauge", "Age of the oldest bytes or changes that would be lost with this host.",
                stats -> AtRisk.of(stats).age(Instant.now()).toMillis() / 1e3);
        each("volsh_reclaimable_blocks", "gauge", "Deleted blocks that are not reclaimed yet.",
                stats -> stats.background().reclaimable().blocks());
        each("volsh_reclaimable_bytes", "gauge", "Bytes in the store of deleted blocks that are not reclaimed yet.",
                stats -> stats.background().reclaimable().bytes());
        each("volsh_reclaimable_seconds", "gauge", "Age of the oldest deleted block that is not reclaimed yet.",
                stats -> stats.background().reclaimable().since()
                .map(since -> Math.max(0, Duration.between(since, Instant.now()).toMillis() / 1e3)).orElse(0.0));
        each("volsh_failing_tasks", "gauge", "Background tasks that fail repeatedly.",
                stats -> stats.background().failing().size());
        operations();
        stores();
    }

    private void each(String name, String type, String help, ToDoubleFunction<MountStats> value) {
        text.append("# HELP %s %s\n# TYPE %s %s\n".formatted(name, help, name, type));
        mounts.forEach((mount, stats) -> line(name, "mount=\"%s\"".formatted(label(mount.toString())),
                value.applyAsDouble(stats)));
    }

    private void operations() {
        text.append("# HELP volsh_operation_seconds Time of requests of the kernel.\n# TYPE volsh_operation_seconds "
                + "summary\n");
        mounts.forEach((mount, stats) -> stats.operations().forEach(row -> {
            var labels = "mount=\"%s\",operation=\"%s\"".formatted(label(mount.toString()), row.operation());
            summary("volsh_operation_seconds", labels,
                    new LatencyHistogram.Summary(row.count(), row.p50(), row.p99(), row.max(), row.total()));
        }));
        text.append("""
                # HELP volsh_operation_failures_total Requests of the kernel answered with an error.
                # TYPE volsh_operation_failures_total counter
                """);
        mounts.forEach((mount, stats) -> stats.operations().forEach(row -> line("volsh_operation_failures_total",
                "mount=\"%s\",operation=\"%s\"".formatted(label(mount.toString()), row.operation()),
                (double) row.failed())));
    }

    private void stores() {
        text.append(
                "# HELP volsh_store_seconds Time of successful store requests.\n# TYPE volsh_store_seconds summary\n");
        mounts.forEach((mount, stats) -> stats.store().forEach(each -> summary("volsh_store_seconds",
                "mount=\"%s\",call=\"%s\"".formatted(label(mount.toString()), each.call()), each.took())));
        text.append("""
                # HELP volsh_store_failures_total Store requests that failed.
                # TYPE volsh_store_failures_total counter
                """);
        mounts.forEach((mount, stats) -> stats.store().forEach(each -> line("volsh_store_failures_total",
                "mount=\"%s\",call=\"%s\"".formatted(label(mount.toString()), each.call()), (double) each.failed())));
    }

    private void summary(String name, String labels, LatencyHistogram.Summary took) {
        line(name, labels + ",quantile=\"0.5\"", took.p50() / NANOS);
        line(name, labels + ",quantile=\"0.99\"", took.p99() / NANOS);
        line(name + "_sum", labels, took.total() / NANOS);
        line(name + "_count", labels, (double) took.count());
    }

    private void line(String name, String labels, double value) {
        var number = value == Math.rint(value) && Math.abs(value) < 1e15 ? "%d".formatted((long) value)
                : String.format(Locale.ROOT, "%.9g", value);
        text.append(name).append('{').append(labels).append("} ").append(number).append('\n');
    }

    private static String label(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
