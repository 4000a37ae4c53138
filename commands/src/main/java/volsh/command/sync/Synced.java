package volsh.command.sync;

import java.time.Duration;
import java.util.Locale;
import volsh.command.render.Columns;
import volsh.sync.SyncSummary;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/** What a sync did, and how long it took. */
record Synced(SyncSummary summary, Duration took) {
    static final Columns<Synced> COLUMNS = Columns.of(Synced.class)
            .number("files", synced -> synced.summary().copied().files())
            .bytes("size", synced -> synced.summary().copied().bytes())
            .number("removed", synced -> synced.summary().removed())
            .number("unchanged", synced -> synced.summary().unchanged())
            .number("extra", synced -> synced.summary().extra())
            .number("failed", synced -> synced.summary().copied().failed())
            .span("took", Synced::took);

    /** {@code copied 3 files, 1.2MiB, removed 1, 1,234 files unchanged, in 0.3s}. */
    String text() {
        var copied = summary.copied();
        return "copied %s, %s%s, %s unchanged, in %s%s%s".formatted(Count.of(copied.files(), "file"),
                new ByteSize(copied.bytes()), summary.removed() == 0 ? "" : ", removed " + summary.removed(),
                Count.of(summary.unchanged(), "file"), String.format(Locale.ROOT, "%.1fs", took.toMillis() / 1000.0),
                summary.extra() == 0 ? "" : "; the target has %s more (--delete removes them)"
                        .formatted(Count.of(summary.extra(), "file")),
                copied.failed() == 0 ? "" : "; %s failed".formatted(Count.of(copied.failed(), "file")));
    }
}
