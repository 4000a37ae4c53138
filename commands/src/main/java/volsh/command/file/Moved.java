package volsh.command.file;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.transfer.Summary;
import volsh.unit.ByteSize;
import volsh.unit.Count;

/** The result of a transfer and its duration. */
public record Moved(Summary summary, Duration took) {
    public static final Columns<Moved> COLUMNS = Columns.of(Moved.class)
            .number("files", moved -> moved.summary().files())
            .number("directories", moved -> moved.summary().directories())
            .bytes("size", moved -> moved.summary().bytes())
            .number("failed", moved -> moved.summary().failed())
            .number("skipped", moved -> moved.summary().skipped())
            .span("took", Moved::took)
            .rate("rate", Moved::bytesPerSecond);

    /** Reports the result; failures decide the exit code. */
    public static Outcome<Rows<Moved>> report(Session session, String verb, Instant began, Summary summary, Watch watch)
            throws Exception {
        if (watch.alone().isPresent()) {
            throw watch.alone().get().exception();
        }
        var moved = new Moved(summary, Duration.between(began, session.clock().instant()));
        session.say(moved.text(verb));
        if (!summary.unkept().isEmpty()) {
            session.warn("the copies are complete, but do not keep: "
                    + summary.unkept().entrySet().stream().sorted(Map.Entry.comparingByKey())
                    .map(kind -> "%s of %s".formatted(kind.getKey(), Count.of(kind.getValue(), "file")))
                    .collect(Collectors.joining(", ")));
        }
        return new Outcome<>(Rows.one(COLUMNS, moved).told(), summary.failed() == 0 ? ExitCode.OK : watch.failure());
    }

    /** {@code put 1,234 files, 5.6GiB in 12.3s (466MiB/s)}. */
    private String text(String verb) {
        var text = new StringBuilder(verb).append(' ').append(Count.of(summary.files(), "file"))
                .append(", ").append(new ByteSize(summary.bytes()))
                .append(" in ").append(String.format(Locale.ROOT, "%.1fs", took.toMillis() / 1000.0));
        if (bytesPerSecond() > 0) {
            text.append(" (").append(new ByteSize(bytesPerSecond())).append("/s)");
        }
        if (summary.skipped() > 0) {
            text.append("; ").append(Count.of(summary.skipped(), "file")).append(" up to date");
        }
        return summary.failed() == 0 ? text.toString()
                : text.append("; ").append(Count.of(summary.failed(), "file")).append(" failed").toString();
    }

    private long bytesPerSecond() {
        double seconds = took.toNanos() / 1e9;
        return seconds <= 0 ? 0 : (long) (summary.bytes() / seconds);
    }
}
