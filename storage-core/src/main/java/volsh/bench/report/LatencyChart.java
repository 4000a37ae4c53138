package volsh.bench.report;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import volsh.bench.OperationLatencies;

/** Latencies of operations from the median to the slowest, on a logarithmic axis. */
final class LatencyChart {
    private static final int ROW = 18;
    private static final int GAP = 10;

    private final Series series;

    LatencyChart(Series series) {
        this.series = series;
    }

    Markup draw() {
        var all = series.runs().stream().flatMap(run -> run.rows().stream()).map(row -> row.latency()).toList();
        var scale = Scale.Logarithmic.over(nanos(all, OperationLatencies::p50).min().orElse(1),
                nanos(all, OperationLatencies::max).max().orElse(1));
        var inner = new Markup();
        double y = GAP;
        for (var key : series.keys()) {
            var entries = series.of(key);
            inner.add("<text class='label' x='%s' y='%s'>%s</text>", Plot.LEFT - 8, y + entries.size() * ROW / 2.0 + 4,
                    series.label(key));
            for (var entry : entries) {
                range(inner, entry, scale, y + ROW / 2.0);
                y += ROW;
            }
            y += GAP;
        }
        boolean loader = series.keys().stream().allMatch(key -> Names.isLoader(key.phase()));
        return Plot.framed("%s: median (dot), 95 %% (end of the thick line), 99 %% (bar), slowest (ring)"
                .formatted(loader ? "A GPU's wait for a batch" : "Time of an operation"), y, scale, Amounts::time, inner);
    }

    private static java.util.stream.DoubleStream nanos(List<OperationLatencies> all,
            java.util.function.Function<OperationLatencies, Duration> which) {
        return all.stream().map(which).mapToDouble(Duration::toNanos);
    }

    private void range(Markup inner, Series.Entry entry, Scale scale, double y) {
        var times = entry.row().latency();
        var at = Stream.of(times.p50(), times.p95(), times.p99(), times.max())
                .map(time -> Plot.LEFT + Plot.INNER * scale.at((double) time.toNanos())).toList();
        inner.add("<g class='s%s'><title>%s: p50 %s, p95 %s, p99 %s, slowest %s</title>", entry.run(),
                series.runs().get(entry.run()).id(), Amounts.time(times.p50()), Amounts.time(times.p95()),
                Amounts.time(times.p99()), Amounts.time(times.max()));
        inner.add("<line class='thin' x1='%s' y1='%s' x2='%s' y2='%s'/>", at.get(0), y, at.get(3), y);
        inner.add("<line class='thick' x1='%s' y1='%s' x2='%s' y2='%s'/>", at.get(0), y, at.get(1), y);
        inner.add("<line class='thick' x1='%s' y1='%s' x2='%s' y2='%s'/>", at.get(2), y - 5, at.get(2), y + 5);
        inner.add("<circle cx='%s' cy='%s' r='4'/>", at.get(0), y);
        inner.add("<circle class='ring' cx='%s' cy='%s' r='4'/>", at.get(3), y).raw("</g>");
    }
}
