package volsh.command.doctor;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import volsh.command.render.DisplayWidth;
import volsh.command.render.Style;
import volsh.doctor.Bottleneck;
import volsh.doctor.Bottleneck.Culprit;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.unit.Span;

/**
 * The screen of {@code top}: for each mount the data path from the store to the job, with the narrowest stage in
 * brackets. Shortens what does not fit, and finally only counts it: no line is longer than the screen is wide, and
 * there are no
 * more lines than rows.
 */
final class TopScreen {
    private static final int BARS_MAX = 30;
    private static final Pattern RISK = Pattern.compile("at risk: .*");
    private static final Pattern NARROW = Pattern.compile("\\[(store|cache|mount|job) [^]]*]");
    /** The first words of a finding, wherever it stands. */
    private static final Pattern FOUND = Pattern.compile(Stream.of(Culprit.values())
            .filter(culprit -> culprit != Culprit.IDLE).map(Culprit::words).map(Pattern::quote)
            .collect(Collectors.joining("|")));
    private static final int WHOLE = 5;   // lines of a mount, with the empty one before it

    /** How much of the data path is shown. */
    private enum Detail { ALL, RATES, LEAST }

    private final int width;
    private final int height;
    private final boolean unicode;
    private final boolean colour;

    TopScreen(int width, int height, boolean unicode, boolean colour) {
        this.width = width;
        this.height = height;
        this.unicode = unicode;
        this.colour = colour;
    }

    /** {@code titles}: the first line, from long to short; {@code throughput}: the values before, by mount. */
    List<String> lines(List<String> titles, List<Activity> mounts, Map<Path, Sparkline> throughput) {
        var lines = new ArrayList<String>();
        lines.add(fitting(titles));
        int room = Math.max(0, height - 2);   // the cursor takes a row
        if (WHOLE * mounts.size() <= room) {
            mounts.forEach(mount -> whole(mount, lines, throughput.getOrDefault(mount.mount(), new Sparkline())));
        } else {
            brief(mounts, room, lines);
        }
        return lines.stream().limit(Math.max(1, height - 1)).map(line -> DisplayWidth.head(line, Math.max(1, width)))
                .map(this::coloured).toList();
    }

    private String fitting(List<String> texts) {
        return texts.stream().filter(text -> DisplayWidth.of(text) <= width).findFirst().orElse(texts.getLast());
    }

    /** Trouble in colour: the narrowest stage and what it is, and bytes that could be lost. */
    private String coloured(String line) {
        if (!colour) {
            return line;
        }
        String shown = RISK.matcher(line).replaceAll(found -> Matcher.quoteReplacement(Style.RED.on(found.group(),
                true)));
        return NARROW.matcher(FOUND.matcher(shown).replaceFirst(found -> Matcher.quoteReplacement(Style.YELLOW.on(
                found.group(), true)))).replaceAll(found -> Matcher.quoteReplacement(Style.YELLOW.on(found.group(),
                true)));
    }

    /** A command that does not fit must not be cut off: a short one shows it. */
    private String typed(String fix, Activity mount) {
        String line = "  try: " + fix;
        return DisplayWidth.of(line) <= width ? line : "  try: volsh doctor " + ShellWord.of(mount.mount());
    }

    private void whole(Activity mount, List<String> lines, Sparkline throughput) {
        lines.add("");
        String head = "%s  %s  %d requests/s%s".formatted(mount.mount(), mount.subject().volume(), mount.operations(),
                risk(mount));
        String bars = throughput.text(Math.min(BARS_MAX, width - DisplayWidth.of(head) - 2), unicode);
        lines.add(bars.isEmpty() ? head : head + "  " + bars);
        lines.add("  " + picture(mount));
        var first = mount.findings().stream().findFirst();
        lines.add("  " + first.map(found -> "%s: %s".formatted(found.culprit().words(), found.evidence()))
                .orElse("the job does not wait for storage"));
        first.map(Bottleneck::fix).filter(fix -> !fix.isEmpty()).ifPresent(fix -> lines.add(typed(fix, mount)));
    }

    private static String risk(Activity mount) {
        var risk = mount.risk();
        return risk.bytes() == 0 && risk.commits() == 0 ? "" : "  at risk: %s".formatted(risk.line(Instant.now()));
    }

    private void brief(List<Activity> mounts, int room, List<String> lines) {
        int shown = mounts.size() <= room ? mounts.size() : Math.max(0, room - 1);
        for (var mount : mounts.subList(0, shown)) {
            lines.add("%s  %s  %s".formatted(mount.mount(), rate(mount.readRate()),
                    mount.findings().stream().findFirst().map(found -> found.culprit().words()).orElse("ok")));
        }
        if (shown < mounts.size()) {
            lines.add("%s%d more mounts: volsh stats".formatted(shown == 0 ? "" : "and ", mounts.size() - shown));
        }
    }

    /** The way of the data; the narrowest stage in brackets. Latencies give way on a narrow screen. */
    private String picture(Activity mount) {
        var sample = mount.sample();
        String staged = sample.stagedAfter() > 0 ? ", %s staged".formatted(new ByteSize(sample.stagedAfter())) : "";
        String arrow = unicode ? " ─▶ " : " -> ";
        return fitting(List.of("  " + path(mount, arrow, Detail.ALL) + staged,
                "  " + path(mount, arrow, Detail.RATES) + staged,
                "  " + path(mount, unicode ? "▶" : ">", Detail.LEAST))).substring(2);
    }

    private static String path(Activity mount, String arrow, Detail detail) {
        var sample = mount.sample();
        int narrow = mount.stage().map(Activity.Stage::ordinal).orElse(-1);
        boolean latencies = detail == Detail.ALL;
        String get = sample.gets() == 0 || !latencies ? "" : ", " + span(sample.meanGet());
        String read = sample.reads() == 0 || !latencies ? "" : ", " + span(sample.readTime().dividedBy(sample.reads()));
        String written = sample.writtenBytes() == 0 || detail == Detail.LEAST ? ""
                : ", writes " + rate(mount.perSecond(sample.writtenBytes()));
        var stages = List.of("store %s%s".formatted(rate(mount.perSecond(sample.gotBytes())), get),
                "cache %.0f%%".formatted(100 * sample.hitRatio()), "mount %s%s".formatted(rate(mount.readRate()), read),
                String.format(Locale.ROOT, latencies ? "job %.1f at once%s" : "job %.1f%s", sample.underWay(),
                        written));
        var parts = new ArrayList<String>();
        for (int i = 0; i < stages.size(); i++) {
            parts.add(i == narrow ? "[" + stages.get(i) + "]" : stages.get(i));
        }
        return String.join(arrow, parts);
    }

    private static String rate(long bytes) {
        return bytes <= 0 ? "0B/s" : new Rate(bytes).toString();
    }

    private static String span(Duration time) {
        return new Span(time.toNanos() >= 1_000_000 ? Duration.ofMillis(time.toMillis())
                : Duration.ofNanos(time.toNanos() / 1_000 * 1_000)).toString();
    }
}
