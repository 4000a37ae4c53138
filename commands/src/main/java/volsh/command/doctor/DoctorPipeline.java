package volsh.command.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.doctor.ActivitySample;
import volsh.doctor.Diagnosis;
import volsh.doctor.Pipeline;
import volsh.doctor.Pipeline.Stage;
import volsh.fs.ShellWord;
import volsh.mount.MountRecord;
import volsh.mount.Mounts;
import volsh.proc.KernelFile;
import volsh.unit.ByteSize;
import volsh.unit.Percent;
import volsh.unit.Span;

@Command(name = "pipeline", description = {"Show where a running job spends its time.",
        "Splits the time into open and stat, waiting for the store, read, write, decode, and waiting for the job"
                + " itself. Samples the processes of the job a hundred times a second: those that use the mount"
                + " (recorded for half a second to find them), or with --pid that process and its children, such as"
                + " DataLoader workers. Only processes that use files count. Reading is split by what the mount did"
                + " meanwhile: waiting for the store, or transfer. Changes nothing; only root can inspect processes"
                + " of other users."})
@Examples({"volsh doctor pipeline", "volsh doctor pipeline /mnt/data",
        "volsh doctor pipeline /mnt/data --pid 4711 --for 10s -o json"})
final class DoctorPipeline implements Action<Rows<DoctorPipeline.Row>>, Listing {
    private static final long LEARN_MILLIS = 500;
    private static final long LOOK_MILLIS = 10;
    private static final int BUFFER = 100_000;
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("stage", Row::stage)
            .number("part", row -> new Percent(Math.round(row.part() * 100)))
            .text("verdict", Row::verdict)
            .text("evidence", Row::evidence)
            .command("fix", Row::fix)
            .text("gain", Row::gain);

    @Parameters(arity = "0..1", paramLabel = "MOUNT",
            description = "Mount that the job reads, or a directory below it (default: the only mount).")
    private @Nullable Path directory;

    @Option(names = "--pid", paramLabel = "PID", description = "Watch this process and its children.")
    private @Nullable Long pid;

    @Option(names = "--for", paramLabel = "TIME", defaultValue = "3s",
            description = "Watch for this long (default: ${DEFAULT-VALUE}).")
    private Span time;

    /** A stage of the job's time. */
    record Row(String stage, double part, String verdict, String evidence, String fix, String gain) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var mount = directory == null ? Watched.onlyMount(session) : Watched.mount(session, directory);
        if (pid != null && !Files.isDirectory(Watched.proc(session).resolve(pid.toString()))) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "DOC-0004", "no such process: %d".formatted(pid)).hint("ps -e");
        }
        var processes = pid == null ? asking(session, mount.mountPoint()) : Set.<Long>of();
        var pipeline = new Pipeline(Watched.proc(session));
        var during = Watched.during(session, mount.mountPoint(), () -> watch(session, pipeline, processes));
        if (pipeline.parts().isEmpty()) {
            session.say(during.done() == 0 ? "no process uses this mount"
                    : "none of %d processes uses a file".formatted(during.done()));
            return Rows.of(COLUMNS, List.of());
        }
        var rows = rows(pipeline.parts(), during.sample(), mount);
        session.say("%d of %d processes use files; the narrowest stage is: %s".formatted(pipeline.readers(),
                during.done(), rows.getFirst().stage()));
        return Rows.of(COLUMNS, rows);
    }

    /** Samples until the time is over. @return the number of processes */
    private int watch(Session session, Pipeline pipeline, Set<Long> processes) throws Exception {
        long deadline = System.nanoTime() + time.duration().toNanos();
        var all = new HashSet<>(processes);
        try (var _ = session.cancellation().interrupting()) {
            for (int look = 0; System.nanoTime() < deadline; look++) {
                if (pid != null && look % 20 == 0) {
                    all.addAll(family(pid));
                }
                pipeline.look(all);
                Thread.sleep(LOOK_MILLIS);
            }
        }
        return all.size();
    }

    private static Set<Long> family(long head) {
        var all = new TreeSet<>(Set.of(head));
        ProcessHandle.of(head).ifPresent(found -> found.descendants().forEach(child -> all.add(child.pid())));
        return all;
    }

    /** The processes whose threads use the mount now. */
    private static Set<Long> asking(Session session, Path point) throws Exception {
        var mounts = session.service(Mounts.class);
        long number = mounts.startRecording(point, BUFFER);
        Mounts.Recorded recorded;
        try (var _ = session.cancellation().interrupting()) {
            Thread.sleep(LEARN_MILLIS);
        } finally {
            recorded = mounts.stopRecording(point, number);
        }
        var found = new TreeSet<Long>();
        for (var asked : recorded.requests()) {
            if (asked.process() != 0) {
                group(Watched.proc(session), asked.process()).ifPresent(found::add);
            }
        }
        found.remove(ProcessHandle.current().pid());
        return found;
    }

    /** The process that a thread belongs to. */
    private static Optional<Long> group(Path proc, int thread) {
        try {
            return KernelFile.text(proc.resolve(thread + "/status")).lines().filter(line -> line.startsWith("Tgid:"))
                    .map(line -> Long.parseLong(line.substring("Tgid:".length()).strip())).findFirst();
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private static List<Row> rows(Map<Stage, Double> parts, ActivitySample sample, MountRecord record) {
        var mount = record.mountPoint();
        double reading = parts.getOrDefault(Stage.READ, 0.0);
        double waited = sample.readTime().isZero() ? 0
                : Math.min(1, (double) sample.getTime().toNanos() / sample.readTime().toNanos());
        var rows = new ArrayList<Row>();
        rows.add(row("open and stat", parts.getOrDefault(Stage.OPEN, 0.0),
                "%d requests for names and attributes, %.1f ms each"
                .formatted(sample.metadata(),
                sample.meanMetadata().toNanos() / 1e6), "pack small files (tar, WebDataset)"));
        rows.add(row("cache miss", reading * waited, "%d gets of %.1f ms, %.0f%% of frames were in the cache"
                .formatted(sample.gets(), sample.meanGet().toNanos() / 1e6, 100 * sample.hitRatio()),
                Diagnosis.warm(sample, record.source().volume(), mount.toString())));
        rows.add(row("transfer", reading * (1 - waited), "%d reads of %s".formatted(sample.reads(), sample.meanRead()),
                "larger reads; volsh doctor throughput " + ShellWord.of(mount)));
        rows.add(row("write", parts.getOrDefault(Stage.WRITE, 0.0), "%d writes, %s staged".formatted(sample.writes(),
                new ByteSize(sample.stagedAfter())),
                Diagnosis.again(record.source().volume(), mount.toString(), "--writeback")));
        rows.add(row(Stage.DECODE.words(), parts.getOrDefault(Stage.DECODE, 0.0), "the readers use the CPU",
                "more workers (volsh bench run loader --on %s), or decode on the GPU".formatted(ShellWord.of(mount))));
        rows.add(row(Stage.WAIT.words(), parts.getOrDefault(Stage.WAIT, 0.0), "the readers are idle",
                "none: the job does not wait for storage"));
        rows.sort((one, other) -> Double.compare(other.part, one.part));
        var first = rows.getFirst();
        rows.set(0, new Row(first.stage, first.part, "narrowest", first.evidence, first.fix, first.gain));
        return rows;
    }

    private static Row row(String stage, double part, String evidence, String fix) {
        String gain = part < 0.05 || stage.equals(Stage.WAIT.words()) ? "" : String.format(Locale.ROOT,
                "without it up to %.1f times as fast", 1 / Math.max(0.01, 1 - part));
        return new Row(stage, part, "", evidence, fix, gain);
    }
}
