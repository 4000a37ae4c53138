package volsh.command.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import volsh.bench.Chart;
import volsh.bench.Comparison;
import volsh.bench.Measurement;
import volsh.bench.Run;
import volsh.bench.Runs;
import volsh.catalog.Home;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.console.Terminal;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.volume.Volumes;

/** Saved runs and their views. */
final class Kept {
    static final Columns<Measurement> ROWS = Columns.of(Measurement.class)
            .text("phase", Measurement::phase)
            .number("threads", Measurement::threads)
            .bytes("io", row -> row.each().bytes() == 0 ? null : row.each())
            .number("operations", Measurement::operations)
            .rate("rate",
                    row -> row.bytes().bytes() == 0 ? null : new Rate(Math.max(1, Math.round(row.bytesPerSecond()))))
            .number("perSecond", row ->
                    row.perSecond() < 100 ? Math.round(row.perSecond() * 100) / 100.0 : Math.round(row.perSecond()))
            .span("p50", row -> row.latency().p50())
            .span("p95", row -> row.latency().p95())
            .span("p99", row -> row.latency().p99())
            .span("max", row -> row.latency().max())
            .span("elapsed", Measurement::elapsed).wide();
    static final Columns<Measurement> WITH_HITS = Columns.of(Measurement.class)
            .text("phase", Measurement::phase)
            .number("threads", Measurement::threads)
            .bytes("io", Measurement::each)
            .number("operations", Measurement::operations)
            .rate("rate", row -> new Rate(Math.max(1, Math.round(row.bytesPerSecond()))))
            .span("p50", row -> row.latency().p50())
            .span("p95", row -> row.latency().p95())
            .span("p99", row -> row.latency().p99())
            .span("max", row -> row.latency().max())
            .number("hits", row -> percent(row.shares().getOrDefault("hits", 0.0)));

    private static final Columns<Comparison> COMPARED = Columns.of(Comparison.class)
            .text("phase", Comparison::phase)
            .number("threads", Comparison::threads)
            .text("before", row -> shown(row.before(), row.bytes()))
            .text("after", row -> shown(row.after(), row.bytes()))
            .number("change", row -> row.change());

    private Kept() {}

    private static Object shown(double speed, boolean bytes) {
        return bytes ? new Rate(Math.max(1, Math.round(speed))) : Math.round(speed) + "/s";
    }

    static Runs runs(Session session) throws Exception {
        return new Runs(session.service(Home.class).state().resolve("bench"));
    }

    /** The directory, or the mount point of the volume of this name. */
    static Path directory(Session session, Path named) {
        if (Files.isDirectory(named)) {
            return named;
        }
        try {
            for (var mount : session.service(Mounts.class).list()) {
                if (mount.record().source().volume().equals(named.toString()) && mount.state() == Mounts.State.OK) {
                    return mount.record().mountPoint();
                }
            }
            if (session.service(Volumes.class).exists(named.toString())) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0006", "volume '%s' is not mounted".formatted(named))
                        .hint("mkdir -p ./%1$s && volsh mount %1$s ./%1$s".formatted(named));
            }
        } catch (CommandFailure failure) {
            throw failure;
        } catch (Exception unknown) {
            session.detail("cannot list the mounts: " + unknown.getMessage());
        }
        throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0001", "%s is not a directory".formatted(named))
                .hint("volsh mounts list");
    }

    /** Saves a run of the directory, and reports its name. */
    static Run add(Session session, String profile, Path directory, Map<String, String> facts, List<Measurement> rows)
            throws Exception {
        var run = runs(session).add(session.clock().instant(), profile, directory.toRealPath().toString(), facts, rows);
        session.say("saved as " + run.id());
        return run;
    }

    /** Shows bars at a terminal with table output, or on request. */
    static void chart(Session session, List<Measurement> rows, boolean wanted) {
        if (wanted || session.terminal().output() && session.options().output().kind() == OutputFormat.Kind.TABLE) {
            Chart.of(rows, session.width(), Terminal.unicode(session.environment())).forEach(session::say);
        }
    }

    static Percent percent(double part) {
        return new Percent(Math.round(Math.clamp(part, 0, 1) * 1000) / 10.0);
    }

    static Run find(Session session, String id) throws Exception {
        try {
            return runs(session).find(id);
        } catch (NoSuchElementException none) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "BEN-0003", none.getMessage()).hint("volsh bench list");
        }
    }

    static Columns<Comparison> compared() {
        return COMPARED;
    }

    /** Exit 11 if a phase lost more than {@code tolerated} of its speed. */
    static Outcome<Rows<Comparison>> compare(Session session, Run before, Run after, @Nullable Percent tolerated)
            throws IOException {
        List<Comparison> rows = Comparison.of(before, after);
        if (rows.isEmpty()) {
            throw CommandFailure.of(ExitCode.USAGE, "BEN-0002",
                    "'%s' and '%s' have no phase in common".formatted(before.id(), after.id()))
                    .hint("volsh bench list");
        }
        var slower = rows.stream().filter(row -> tolerated != null && row.change() < -tolerated.value()).toList();
        slower.forEach(row -> session.warn("%s with %d threads: %s%% slower than %s"
                .formatted(row.phase(), row.threads(), -row.change(), before.id())));
        return new Outcome<>(Rows.of(COMPARED, rows), slower.isEmpty() ? ExitCode.OK : ExitCode.EXPECTATION);
    }
}
