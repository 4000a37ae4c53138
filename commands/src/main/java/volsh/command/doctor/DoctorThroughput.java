package volsh.command.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.doctor.Budget;
import volsh.doctor.ReadSample;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

@Command(name = "throughput", description = {"Read files of a mount for a moment, and show where the time goes.",
        "Splits the time programs waited into opening and metadata, cache misses (the store), transfer, decoding and"
                + " queueing; the first row is the narrowest stage, with the evidence, what helps and the possible"
                + " gain. Then five checks: striping, metadata, the path to the store, locks, and request size. Only"
                + " reads, but leaves what it reads in the caches."})
@Examples({"volsh doctor throughput /mnt/data",
        "volsh doctor throughput /mnt/data/train --workers 8 --for 10s -o json"})
final class DoctorThroughput implements Action<Rows<DoctorThroughput.Row>>, Listing {
    private static final int WORKERS_MAX = 256;
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("kind", Row::kind)
            .text("name", Row::name)
            .number("part", row -> new Percent(Math.round(row.part() * 100)))
            .text("verdict", Row::verdict)
            .text("evidence", Row::evidence)
            .command("fix", Row::fix)
            .text("gain", Row::gain);

    @Parameters(paramLabel = "FILE|DIRECTORY", description = "File or directory of a mount.")
    private Path path;

    @Option(names = "--for", paramLabel = "TIME", defaultValue = "3s",
            description = "Read for this long (default: ${DEFAULT-VALUE}).")
    private Span time;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "4",
            description = "Read this many files at once (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--block", paramLabel = "SIZE", defaultValue = "1MiB",
            description = "Set the bytes per request (default: ${DEFAULT-VALUE}).")
    private ByteSize block;

    /** A stage of the time, or a check. */
    record Row(String kind, String name, double part, String verdict, String evidence, String fix, String gain) {
        static Row stage(Budget.Line line) {
            return new Row("stage", line.name(), line.part(), line.wrong() ? "narrowest" : "", line.evidence(),
                    line.fix(), line.gain());
        }

        static Row check(Budget.Line line) {
            return new Row("check", line.name(), line.part(), line.wrong() ? "look here" : "well", line.evidence(),
                    line.wrong()
                    ? line.fix() : "",
                    line.wrong() ? line.gain() : "");
        }
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        if (workers < 1 || workers > WORKERS_MAX || block.bytes() < 1 || block.bytes() > ByteSize.GIB) {
            throw CommandFailure.usage("--workers must be from 1 to %d, and --block from 1B to 1GiB"
                    .formatted(WORKERS_MAX));
        }
        var mount = Watched.mount(session, path);
        if (!Files.exists(path)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "DOC-0002", "%s: no such file or directory".formatted(path))
                    .hint("ls " + ShellWord.of(mount.mountPoint()));
        }
        var files = ReadSample.files(path);
        if (files.isEmpty()) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "DOC-0003", "%s has no files".formatted(path))
                    .hint("ls -R " + ShellWord.of(path));
        }
        var subject = FileSpread.byBlocks(session, mount, path.toAbsolutePath().normalize());
        var during = Watched.during(session, mount.mountPoint(),
                () -> ReadSample.of(files, workers, block, time.duration(), session.cancellation()::requested));
        session.cancellation().check();
        var budget = new Budget(during.done(), during.sample(), subject, path.toString());
        var rows = new ArrayList<Row>(budget.stages().stream().map(Row::stage).toList());
        budget.checks().stream().map(Row::check).forEach(rows::add);
        session.say(said(during.done(), rows));
        return Rows.of(COLUMNS, rows);
    }

    private String said(ReadSample reading, List<Row> rows) {
        return String.format(Locale.ROOT,
                "%s and %.0f files a second with %d workers; the narrowest stage is %s, %d%% of the time", new Rate(
                Math.max(1, Math.round(reading.bytesPerSecond()))), reading.files() / (reading.took().toNanos() / 1e9),
                workers, rows.getFirst().name(), Math.round(rows.getFirst().part() * 100));
    }
}
