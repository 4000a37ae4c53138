package volsh.command.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.doctor.ActivitySample;
import volsh.doctor.Bottleneck;
import volsh.doctor.Diagnosis;
import volsh.unit.Percent;
import volsh.unit.Span;

@Command(name = "doctor", description = {
        "Find why a job waits: the narrowest stage, the evidence, and what helps.",
        "With a mount point (or a directory below it): watches for --for what the job asks of the mount and how that"
                + " is answered, and this machine's disks, CPU and memory. The first row explains most of the"
                + " waiting; no row means that the job does not wait for storage.",
        "Without one: checks the machine and every mount, with one row per problem, and one row for the problems that"
                + " 'volsh status' finds in volumes, stores and the home; exits 11 then, or with the code of"
                + " 'volsh status'.",
        "--expect 'hitRatio > 0.95' (also readMillis, getMillis, metadataMillis, underWay, readBytesPerSecond,"
                + " stagedBytes) exits 11 when the expectation is missed: for job prologues and CI. volsh doctor"
                + " assert does only that.",
        "--bundle FILE writes versions, settings, the catalog, metrics, logs, events and the state of the machine to"
                + " an archive, with secrets replaced: for bug reports."})
@Examples({"volsh doctor", "volsh doctor --bundle trouble.tar.gz", "volsh doctor /mnt/data --for 5s",
        "volsh doctor /mnt/data --expect 'hitRatio > 0.95' --expect 'getMillis < 50'"})
final class DoctorRun implements Action<Outcome<Rows<DoctorRun.Row>>>, Tabular {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("finding", Row::finding)
            .number("weight", row -> new Percent(Math.round(row.weight() * 100)))
            .text("evidence", Row::evidence)
            .command("fix", Row::fix)
            .text("gain", Row::gain);

    @Parameters(arity = "0..1", paramLabel = "MOUNT", description = "Mount point, or a directory below it.")
    private @Nullable Path directory;

    @Option(names = "--for", paramLabel = "TIME", defaultValue = "3s",
            description = "Watch for this long (default: ${DEFAULT-VALUE}).")
    private Span time;

    @Option(names = "--bundle", paramLabel = "FILE",
            description = "Write diagnostics for remote support to a new archive (tar.gz), without secrets.")
    private @Nullable Path bundle;

    @Option(names = "--expect", paramLabel = "EXPECTATION",
            description = "Exit 11 unless this holds, such as 'hitRatio > 0.95'. May be" + " repeated.")
    private List<String> expectations = List.of();

    /** A cause or a problem. */
    record Row(String finding, double weight, String evidence, String fix, String gain) {
        static Row of(Bottleneck found) {
            return new Row(found.culprit().words(), found.weight(), found.evidence(), found.fix(), found.gain());
        }
    }

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        if (bundle != null) {
            return bundle(session, bundle);
        }
        if (directory == null) {
            return checkup(session);
        }
        var wanted = expectations.stream().map(Expectation::of).toList();
        var mount = Watched.mount(session, directory);
        var subject = FileSpread.byBlocks(session, mount, directory.toAbsolutePath().normalize());
        var sample = Watched.sample(session, mount.mountPoint(), time.duration());
        var troubles = Checkup.troubles(session, mount);
        var rows = new ArrayList<>(troubles.rows());
        if (rows.isEmpty()) {
            Diagnosis.of(sample, subject).stream().map(Row::of).forEach(rows::add);
        }
        boolean missed = false;
        for (var each : wanted) {
            missed |= !each.holds(sample);
            session.say("%s: %s (measured: %s)".formatted(each.holds(sample) ? "as expected" : "not as expected", each,
                    each.value(sample)));
        }
        session.say(verdict(sample, rows));
        return new Outcome<>(Rows.of(COLUMNS, rows), missed ? ExitCode.EXPECTATION : troubles.exit());
    }

    private static String verdict(ActivitySample sample, List<Row> rows) {
        var budget = String.format(Locale.ROOT,
                "of the request time, names and attributes took %.0f%%, the store %.0f%%, the rest %.0f%%; "
                        + "%.1f requests in progress on average", 100 * sample.metadataPart(), 100 * sample.storePart(),
                100 * Math.max(0, 1 - sample.metadataPart() - sample.storePart()), sample.underWay());
        return rows.isEmpty() ? "the job does not wait for storage: " + budget
                : "%s; %s".formatted(rows.getFirst().finding(), budget);
    }

    private Outcome<Rows<Row>> bundle(Session session, Path bundle) throws Exception {
        if (directory != null || !expectations.isEmpty()) {
            throw CommandFailure.usage("--bundle and a mount exclude each other: a bundle covers the whole machine")
                    .hint("volsh doctor --bundle volsh-bundle.tar.gz");
        }
        var names = Bundle.write(session, bundle);
        session.say("wrote %s with %d files; review it before you send it: tar tzf %s"
                .formatted(bundle, names.size(), bundle));
        return new Outcome<>(Rows.of(COLUMNS, List.of()), ExitCode.OK);
    }

    private Outcome<Rows<Row>> checkup(Session session) throws Exception {
        if (!expectations.isEmpty()) {
            throw CommandFailure.usage("--expect needs a mount point").hint("volsh mounts list");
        }
        var checkup = Checkup.of(session);
        var rows = checkup.rows();
        session.say(rows.isEmpty() ? "found no problem"
                : "found %d %s".formatted(rows.size(), rows.size() == 1 ? "problem"
                : "problems"));
        return new Outcome<>(Rows.of(COLUMNS, rows), checkup.exit());
    }
}
