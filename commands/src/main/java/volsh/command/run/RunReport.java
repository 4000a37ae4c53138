package volsh.command.run;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import volsh.bench.report.Markup;
import volsh.command.failure.Problem;
import volsh.command.render.Json;
import volsh.command.run.RunRecord.Done;
import volsh.unit.Span;

/**
 * What a program did, how long it took and what failed, as a page or as JSON.
 *
 * @param problem how it failed, if it did
 */
public record RunReport(String script, List<String> arguments, boolean dryRun, Instant start, Duration took, int status,
        Optional<Problem> problem, RunRecord done) {
    private static final String CSS = """
            :root { color-scheme: light dark; --text: #1c2128; --back: #ffffff; --soft: #59636e; --line:
            #d1d9e0; --good: #1a7f37; --bad: #c5221f; --bar: #9ec5fe }
            @media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --back: #0d1117; --soft: #9198a1;
            --line: #3d444d; --good: #3fb950; --bad: #ff7b72; --bar: #1f4f8f } }
            body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width:
            70rem; margin: 2rem auto; padding: 0 1rem }
            h1 { font-size: 1.4rem; margin: 0 } .verdict { font-weight: 600 } .ok { color: var(--good) } .failed
            { color: var(--bad) } .soft { color: var(--soft) }
            pre, code { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
            pre { border-left: 3px solid var(--bad); padding-left: 1rem }
            .scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; margin-top: 1rem } th {
            text-align: left; color: var(--soft); font-weight: 500 }
            td, th { border-bottom: 1px solid var(--line); padding: .25rem .6rem .25rem 0; vertical-align: top }
            .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
            .step td { font-weight: 600 } .bar { width: 8rem } .bar i { display: block; height: .7rem;
            margin-top: .4rem; background: var(--bar); min-width: 1px }
            .d1 { padding-left: 1.5rem } .d2 { padding-left: 3rem } .d3 { padding-left: 4.5rem } footer { color:
            var(--soft); margin-top: 2rem }""";
    private static final int DEEPEST = 3;
    private static final int PRECISE_SECONDS = 10;

    /** One object. */
    public String json() {
        var report = new LinkedHashMap<String, Object>();
        report.put("script", script);
        report.put("arguments", arguments.stream().map(done::redacted).toList());
        report.put("dryRun", dryRun);
        report.put("start", start.toString());
        report.put("tookSeconds", seconds(took));
        report.put("exit", status);
        report.put("error", problem.map(this::fields).orElse(null));
        var items = new ArrayList<Map<String, Object>>();
        for (Done item : done.items()) {
            var fields = new LinkedHashMap<String, Object>();
            fields.put("kind", kind(item));
            fields.put("text", item.text());
            fields.put("depth", item.depth());
            fields.put("start", item.start().toString());
            fields.put("tookSeconds", seconds(item.took()));
            fields.put("exit", item.status());
            fields.put("error", item.failure().isEmpty() ? null : item.failure());
            items.add(fields);
        }
        report.put("done", items);
        report.put("left", done.left());
        return Json.of(report) + "\n";
    }

    private Map<String, Object> fields(Problem failure) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("code", failure.code());
        fields.put("message", done.redacted(failure.message()));
        fields.put("details", failure.details().stream().map(done::redacted).toList());
        fields.put("hints", failure.hints());
        return fields;
    }

    /** A page that needs nothing else. */
    public String html() {
        var page = new Markup().raw("<!doctype html>").raw("<html lang='en'><head><meta charset='utf-8'>")
                .raw("<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
                        + "style-src 'unsafe-inline'\">")
                .raw("<meta name='viewport' content='width=device-width, initial-scale=1'>")
                .add("<title>%s</title>", script).raw("<style>").raw(CSS).raw("</style></head><body>")
                .add("<h1>%s</h1>", script)
                .add("<p class='verdict %s'>%s</p>", status == 0 ? "ok" : "failed", verdict())
                .add("<p class='soft'>%s, took %s%s%s</p>", start.truncatedTo(ChronoUnit.SECONDS), rounded(took),
                        arguments.isEmpty() ? "" : ", arguments: " + done.redacted(String.join(" ", arguments)),
                        dryRun ? ", a dry run: nothing was changed" : "");
        problem.filter(failure -> !failure.details().isEmpty()).ifPresent(failure ->
                page.add("<pre>%s</pre>", done.redacted(String.join("\n", failure.details()))));
        table(page);
        return page.raw("<footer>Made by volsh. Times are wall-clock times; what ran in parallel overlaps.</footer>")
                .raw("</body></html>").toString();
    }

    private String verdict() {
        String message = problem.map(failure -> ": " + done.redacted(failure.message())).orElse("");
        return status == 0 ? "Succeeded" : "Failed%s (exit %d)".formatted(message, status);
    }

    private void table(Markup page) {
        List<Done> items = done.items();
        page.raw("<div class='scroll'><table><thead><tr><th class='number'>After</th><th>What</th>")
                .raw("<th class='number'>Took</th><th class='bar'></th><th>Result</th></tr></thead><tbody>");
        double whole = Math.max(1, took.toMillis());
        for (Done item : items) {
            boolean message = item.kind().compareTo(RunRecord.Kind.LOG) >= 0;
            Duration after = Duration.between(start, item.start());
            double share = message ? 0 : Math.min(100, 100 * item.took().toMillis() / whole);
            page.add("<tr class='%s'><td class='number soft'>%s</td><td class='d%s'>%s</td>", kind(item),
                    rounded(after),
                            Math.min(DEEPEST, item.depth()), what(item))
                    .add("<td class='number'>%s</td><td class='bar'><i style='width:%s%%'></i></td>",
                            message ? "" : rounded(item.took()), share)
                    .add("<td class='%s'>%s</td></tr>", item.status() == 0 ? "ok" : "failed", message ? ""
                    : result(item));
        }
        page.raw("</tbody></table></div>");
        if (done.left() > 0) {
            page.add("<p class='soft'>and %s more</p>", Long.toString(done.left()));
        }
    }

    private static String result(Done item) {
        String code = "exit " + item.status();
        return item.status() == 0 ? "ok" : item.failure().isEmpty() ? code : "%s (%s)".formatted(item.failure(), code);
    }

    private static Markup what(Done item) {
        return switch (item.kind()) {
            case COMMAND -> new Markup().add("<code>%s</code>", item.text());
            case SYSTEM -> new Markup().add("<code>!%s</code>", item.text());
            case STEP -> new Markup().add("%s", item.text());
            case LOG -> new Markup().add("<span class='soft'>%s</span>", item.text());
            case WARNING, ERROR -> new Markup().add("<span class='failed'>%s: %s</span>", kind(item), item.text());
        };
    }

    private static String kind(Done item) {
        return item.kind().name().toLowerCase(Locale.ROOT);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }

    /** The time as people read it: whole milliseconds, or whole seconds if there are many. */
    public static Span rounded(Duration time) {
        Duration positive = time.isNegative() ? Duration.ZERO : time;
        return new Span(positive.truncatedTo(positive.toSeconds() < PRECISE_SECONDS ? ChronoUnit.MILLIS
                : ChronoUnit.SECONDS));
    }
}
