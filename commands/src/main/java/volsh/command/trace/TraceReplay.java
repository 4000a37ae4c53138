package volsh.command.trace;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.trace.Event;
import volsh.trace.Replay;
import volsh.trace.Trace;
import volsh.unit.ByteSize;
import volsh.unit.Span;

@Command(name = "replay", description = {"Replay a trace on a directory: another mount, file system or cache.",
        "Runs at the recorded pace, or --speed 2 for twice that, --speed max for full speed. Requests that were"
                + " answered before a request came are done before it; requests that ran side by side may do so"
                + " again. Requests that change files are skipped unless --writes is given; their data is not in"
                + " a trace, so other bytes are written. --prepare creates missing files, with meaningless bytes.",
        "SKIPPED counts requests that would change files, requests on files whose name is not in the trace (open before"
                + " it began, and gone when it ended), and requests that only a kernel sends; the number of each is"
                + " shown.",
        "DIFFERENT counts requests that failed and did not before, or the reverse, or returned another number of"
                + " bytes: then the exit code is 11."})
@Examples({"volsh trace replay job.trace --on /mnt/other --speed max",
        "volsh trace replay job.trace --on /scratch/try --prepare --speed 2"})
final class TraceReplay implements Mutation<Outcome<Rows<Replay.Row>>> {
    private static final Columns<Replay.Row> COLUMNS = Columns.of(Replay.Row.class)
            .text("operation", Replay.Row::operation)
            .number("asked", Replay.Row::asked)
            .number("done", Replay.Row::done)
            .number("skipped", row -> row.skipped().all())
            .number("different", Replay.Row::different)
            .bytes("bytes", row -> new ByteSize(row.bytes()))
            .span("recorded", Replay.Row::recorded)
            .span("replayed", Replay.Row::replayed)
            .number("skippedChanges", row -> row.skipped().changes()).wide()
            .number("skippedNameless", row -> row.skipped().nameless()).wide()
            .number("skippedUnasked", row -> row.skipped().unasked()).wide();

    @Parameters(paramLabel = "FILE", description = "File that volsh trace record wrote.")
    private Path file;

    @Option(names = "--on", paramLabel = "DIRECTORY", required = true,
            description = "Resolve paths of the trace from this directory.")
    private Path root;

    @Option(names = "--speed", paramLabel = "N", defaultValue = "1",
            description = "Multiply the pace of the recording, or max (default: ${DEFAULT-VALUE}).")
    private String speed;

    @Option(names = "--writes", description = "Also replay requests that change files.")
    private boolean writes;

    @Option(names = "--prepare", description = "Create missing files that are read.")
    private boolean prepare;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var trace = TraceFile.read(file, session);
        var missing = checked(trace).missing();
        var plan = missing.isEmpty() ? Plan.NOTHING
                : Plan.of("create", root.toString(),
                        "%d files, %s".formatted(missing.size(), new ByteSize(missing.values().stream()
                        .mapToLong(Long::longValue).sum())));
        long changes = trace.events().stream().filter(Event::changes).count();
        return plan.then("replay", root.toString(), "%d requests%s".formatted(trace.events().size(),
                changes == 0 ? "" : ", %d of which change files%s".formatted(changes,
                        writes ? "" : " and are skipped")));
    }

    @Override
    public Outcome<Rows<Replay.Row>> run(Session session) throws Exception {
        var trace = TraceFile.read(file, session);
        var replay = checked(trace);
        Replay.prepare(root, replay.missing(), new Random(1));
        try (var _ = session.cancellation().interrupting()) {
            var result = replay.run(session.cancellation()::requested);
            session.cancellation().check();
            result.otherwise().forEach(event -> session.warn(
                    "%s of %s ended differently: in the recording it %s".formatted(event.operation(), event.path(),
                    event.failed() ? "failed with error %d".formatted(event.asked().errno()) : "succeeded with %d"
                            .formatted(event.asked().result()))));
            explain(session, result.skipped());
            session.say("replayed in %s, recorded in %s".formatted(span(result.took()),
                    span(Duration.ofNanos(trace.nanos()))));
            return new Outcome<>(Rows.of(COLUMNS, result.rows()),
                    result.different() == 0 ? ExitCode.OK : ExitCode.EXPECTATION);
        }
    }

    private static void explain(Session session, Replay.Skipped skipped) {
        if (skipped.changes() > 0) {
            session.say("skipped %d requests that change files (--writes replays them)".formatted(skipped.changes()));
        }
        if (skipped.nameless() > 0) {
            session.say("skipped %d requests on files without a name in the trace".formatted(skipped.nameless()));
        }
        if (skipped.unasked() > 0) {
            session.say("skipped %d requests that only a kernel sends".formatted(skipped.unasked()));
        }
    }

    private static Span span(Duration time) {
        return new Span(Duration.ofMillis(time.toMillis()));
    }

    private Replay checked(Trace trace) {
        if (!Files.isDirectory(root)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "TRC-0004", "%s is not a directory".formatted(root))
                    .hint("mkdir -p " + ShellWord.of(root));
        }
        var replay = new Replay(trace, root, factor(), writes);
        int missing = prepare ? 0 : replay.missing().size();
        if (missing > 0) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "TRC-0005",
                    "%d files that the trace reads are missing or too short below %s"
                    .formatted(missing, root))
                    .hint("volsh trace replay %s --on %s --prepare".formatted(ShellWord.of(file), ShellWord.of(root)));
        }
        return replay;
    }

    private double factor() {
        if (speed.equals("max")) {
            return Double.POSITIVE_INFINITY;
        }
        try {
            double factor = Double.parseDouble(speed);
            if (factor > 0) {
                return factor;
            }
        } catch (NumberFormatException none) {
            // reported below
        }
        throw CommandFailure.usage("'%s' is not a speed (try 1, 2 or max)".formatted(speed));
    }
}
