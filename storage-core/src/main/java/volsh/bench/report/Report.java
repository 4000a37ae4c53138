package volsh.bench.report;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import volsh.bench.Run;

/** A page about one run, or about several side by side. */
public final class Report {
    /** More colours cannot be distinguished. */
    public static final int RUNS_MAX = 6;

    private final Series series;

    /** @throws IllegalArgumentException if there are none, or too many to distinguish */
    public Report(List<Run> runs) {
        if (runs.isEmpty() || runs.size() > RUNS_MAX) {
            throw new IllegalArgumentException("a report shows 1 to %d runs: %d".formatted(RUNS_MAX, runs.size()));
        }
        this.series = new Series(List.copyOf(runs));
    }

    /** The whole page. */
    public String html(Instant made) {
        var runs = series.runs();
        var page = new Markup().raw("<!doctype html>").raw("<html lang='en'><head><meta charset='utf-8'>")
                .raw("<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
                        + "style-src 'unsafe-inline'\">")
                .raw("<meta name='viewport' content='width=device-width, initial-scale=1'><meta name='color-scheme' "
                        + "content='light dark'>")
                .add("<title>%s</title>", title()).raw("<style>").raw(Sheet.CSS).raw("</style></head><body>")
                .add("<h1>%s</h1>", title());
        page.raw("<ul class='runs'>");
        for (int run = 0; run < runs.size(); run++) {
            var one = runs.get(run);
            page.add("<li><span class='key k%s'></span><b>%s</b> %s on <code>%s</code>, %s</li>", run, one.id(),
                    one.profile(), one.target(), second(one.when()));
        }
        page.raw("</ul>");
        verdict(page);
        plots(page);
        numbers(page);
        facts(page);
        return page.add("<footer>Made by volsh, %s. ×4 is 4 threads or workers at once. p50 is the median: half took less.</footer>", second(made))
                .raw("</body></html>").toString();
    }

    private void verdict(Markup page) {
        page.raw("<section class='verdict'><h2>Verdict</h2>");
        new Verdict(series.runs()).sentences().forEach(sentence -> page.add("<p>%s</p>", sentence));
        page.raw("</section>");
    }

    private static String second(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString().replace('T', ' ').replace("Z", " UTC");
    }

    private String title() {
        var runs = series.runs();
        return runs.size() == 1 ? runs.getFirst().profile() + " on " + runs.getFirst().target()
                : "%d benchmark runs".formatted(runs.size());
    }

    private void plots(Markup page) {
        var moving = Bars.where(series, row -> row.bytes().bytes() > 0);
        var others = series.keys().stream().filter(key -> !moving.contains(key)).toList();
        page.raw("<section><h2>Speed</h2>");
        if (!moving.isEmpty()) {
            page.raw(new Bars("Bytes per second", series, row -> row.bytesPerSecond(), Amounts::rate,
                    Scale.Linear::ofBytes).draw(moving, 0).toString());
        }
        if (!others.isEmpty()) {
            page.raw(new Bars("Operations per second", series, row -> row.perSecond(), Amounts::perSecond,
                    Scale.Linear::to).draw(others, 0).toString());
        }
        var lines = new ScalingChart(series);
        lines.phases().forEach(phase -> page.raw(lines.draw(phase).toString()));
        page.raw("</section><section><h2>Latency</h2>").raw(new LatencyChart(series).draw().toString())
                .raw("</section>");
        shares(page);
    }

    private void shares(Markup page) {
        var names = new TreeSet<String>();
        series.runs().forEach(run -> run.rows().forEach(row -> names.addAll(row.shares().keySet())));
        if (!names.isEmpty()) {
            page.raw("<section><h2>Shares</h2>");
            for (String name : names) {
                page.raw(new Bars(Names.share(name), series, row -> row.shares().get(name), Amounts::percentDown, Scale.Linear::to)
                        .draw(Bars.where(series, row -> row.shares().containsKey(name)), 1).toString());
            }
            page.raw("</section>");
        }
    }

    private void numbers(Markup page) {
        page.raw("<section><h2>Numbers</h2><div class='scroll'><table><thead><tr><th class='text'>Run</th><th class='text'>Phase</th>"
                + "<th>Threads</th><th>Size</th><th>Operations</th><th>Bytes/s</th><th>Operations/s</th>"
                + "<th>p50</th><th>p95</th><th>p99</th><th>Slowest</th></tr></thead><tbody>");
        for (var key : series.keys()) {
            for (var entry : series.of(key)) {
                var row = entry.row();
                var times = row.latency();
                boolean bytes = row.bytes().bytes() > 0;
                page.add("<tr><td class='text'><span class='key k%s'></span>%s</td><td class='text'>%s</td>"
                        + "<td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td>"
                        + "<td>%s</td><td>%s</td><td>%s</td></tr>", entry.run(), series.runs().get(entry.run()).id(),
                        row.phase(), row.threads(), row.each().bytes() == 0 ? "" : Amounts.bytes((double) row.each().bytes()),
                        String.format(Locale.ROOT, "%,d", row.operations()),
                        bytes ? Amounts.rate(row.bytesPerSecond()) : "", Amounts.perSecond(row.perSecond()),
                        Amounts.time(times.p50()), Amounts.time(times.p95()), Amounts.time(times.p99()),
                        Amounts.time(times.max()));
            }
        }
        page.raw("</tbody></table></div></section>");
    }

    /** Facts that differ between runs are marked. */
    private void facts(Markup page) {
        var names = new TreeSet<String>();
        series.runs().forEach(run -> names.addAll(run.facts().keySet()));
        page.raw("<section><h2>Parameters and machine</h2><div class='scroll'><table><tbody>");
        for (String name : names) {
            var values = series.runs().stream().map(run -> run.facts().getOrDefault(name, "")).toList();
            page.raw(values.stream().distinct().count() > 1 ? "<tr class='differs'>" : "<tr>").add("<th>%s</th>", Names.fact(name));
            values.forEach(value -> page.add("<td class='text'>%s</td>", Names.value(value)));
            page.raw("</tr>");
        }
        page.raw("</tbody></table></div></section>");
    }
}
