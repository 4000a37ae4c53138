package volsh.command.doctor;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import volsh.command.render.DisplayWidth;
import volsh.doctor.Bottleneck;
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
    private static final int WHOLE = 5;   // lines of a mount, with the empty one before it

    private final int width;
    private final int height;
    private final boolean unicode;

    TopScreen(int width, int height, boolean unicode) {
        this.width = width;
        this.height = height;
        this.unicode = unicode;
    }

    List<String> lines(String title, List<Activity> mounts) {
        var lines = new ArrayList<String>();
        lines.add(title);
        int room = Math.max(0, height - 2);   // the cursor takes a row
        if (WHOLE * mounts.size() <= room) {
            mounts.forEach(mount -> whole(mount, lines));
        } else {
            brief(mounts, room, lines);
        }
        return lines.stream().limit(Math.max(1, height - 1)).map(line -> DisplayWidth.head(line, Math.max(1, width)))
                .toList();
    }

    private void whole(Activity mount, List<String> lines) {
        lines.add("");
        lines.add("%s  %s  %d requests/s%s".formatted(mount.mount(), mount.subject().volume(), mount.operations(),
                risk(mount)));
        lines.add("  " + picture(mount));
        var first = mount.findings().stream().findFirst();
        lines.add("  " + first.map(found -> "%s: %s".formatted(found.culprit().words(), found.evidence()))
                .orElse("the job does not wait for storage"));
        first.map(Bottleneck::fix).filter(fix -> !fix.isEmpty()).ifPresent(fix -> lines.add("  try: " + fix));
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

    /** The way of the data; the narrowest stage in brackets. */
    private String picture(Activity mount) {
        var sample = mount.sample();
        int narrow = mount.stage().map(Activity.Stage::ordinal).orElse(-1);
        var stages = List.of(
                "store %s%s".formatted(rate(mount.perSecond(sample.gotBytes())),
                        sample.gets() == 0 ? "" : ", " + span(sample.meanGet())),
                "cache %.0f%%".formatted(100 * sample.hitRatio()), "mount %s%s".formatted(rate(mount.readRate()),
                sample.reads() == 0 ? "" : ", " + span(sample.readTime().dividedBy(sample.reads()))),
                String.format(Locale.ROOT, "job %.1f at once%s", sample.underWay(),
                sample.writtenBytes() == 0 ? "" : ", writes " + rate(mount.perSecond(sample.writtenBytes()))));
        var parts = new ArrayList<String>();
        for (int i = 0; i < stages.size(); i++) {
            parts.add(i == narrow ? "[" + stages.get(i) + "]" : stages.get(i));
        }
        return String.join(unicode ? " ─▶ " : " -> ", parts) + (mount.sample().stagedAfter() > 0 ? ", %s staged"
                .formatted(new ByteSize(sample.stagedAfter())) : "");
    }

    private static String rate(long bytes) {
        return bytes <= 0 ? "0B/s" : new Rate(bytes).toString();
    }

    private static String span(Duration time) {
        return new Span(time.toNanos() >= 1_000_000 ? Duration.ofMillis(time.toMillis())
                : Duration.ofNanos(time.toNanos() / 1_000 * 1_000)).toString();
    }
}
