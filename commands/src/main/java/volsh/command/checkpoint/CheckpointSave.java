package volsh.command.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.LocalStage;
import volsh.checkpoint.SaveRequest;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.job.JobViews;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.snapshot.SnapshotName;
import volsh.disk.LocalTrees;
import volsh.event.Happening;
import volsh.fs.ShellWord;
import volsh.job.Job;
import volsh.job.Jobs;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "save", description = {"Save a directory as the checkpoint of a step.",
        "It appears as VOLUME:/RUN/step-000000001000, the step in twelve digits, when it is complete and survives"
                + " power loss, and RUN/latest then points to it; until then readers find the previous checkpoint. A"
                + " manifest in it holds the SHA-256 of every file. If a file changes while it is saved, the save"
                + " fails and leaves nothing.",
        "Data that an earlier checkpoint has is shared and not stored again: if 5 % of the tensors of a safetensors or"
                + " torch file changed, about 5 % is stored. See volsh checkpoint show.",
        "With --rank and --world every rank of a job saves its own directory, from any host: the checkpoint appears,"
                + " with a directory rank-N of each, when all are in. If a rank does not arrive within --patience,"
                + " the others exit 6, nothing is saved, and latest stays unchanged.",
        "With --background the data is copied to this host's disk first; the command waits only for that unless"
                + " --until says more, and a job does the rest, see volsh checkpoint status and wait. A copy that"
                + " could not be saved is kept, and volsh checkpoint status shows how to save it.",
        "When several processes save the same step, one succeeds and the others exit 4."})
@Examples({"volsh checkpoint save training-data --run r1 --step 5000 --from dataset",
        "volsh checkpoint save training-data --run r1 --step 6000 --from dataset --metric loss=0.31 --verify",
        "volsh checkpoint save training-data --run r2 --step 6000 --from dataset --rank 0 --world 1"})
final class CheckpointSave implements Mutation<Rows<?>> {
    private static final Duration LOOK = Duration.ofMillis(100);

    @Parameters(paramLabel = "VOLUME", description = "Volume to save to.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Name the training run.")
    private String run;

    @Option(names = "--step", paramLabel = "N", required = true, description = "Set the step.")
    private long step;

    @Option(names = "--from", paramLabel = "PATH", required = true, description = "Save this directory or file.")
    private Path source;

    @Option(names = "--metric", paramLabel = "NAME=NUMBER",
            description = "Record a metric, such as loss=0.31; may be repeated.")
    private Map<String, Double> metrics = new LinkedHashMap<>();

    @Option(names = "--label", paramLabel = "NAME=TEXT",
            description = "Record a label, such as data=imagenet@2026-11-01; may be repeated.")
    private Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--data", paramLabel = "VOLUME@NAME",
            description = "Record the snapshot of the training data, which must exist, with its volume's id and tick"
                    + " as labels data, data.volume and data.tick.")
    private String data;

    @Option(names = "--rank", paramLabel = "N",
            description = "Save the shard of this rank, from 0 to the world less one.")
    private Integer rank;

    @Option(names = "--world", paramLabel = "N", description = "Set the number of ranks.")
    private Integer world;

    @Option(names = "--patience", paramLabel = "TIME", defaultValue = "10m",
            description =
                    "Wait this long for the other ranks; the first rank's value counts (default: ${DEFAULT-VALUE}).")
    private Span patience;

    @Option(names = "--background",
            description = "Return when the data is on this host's disk, and have a job save it.")
    private boolean background;

    @Option(names = "--until", paramLabel = "LEVEL",
            description = "Wait for ${COMPLETION-CANDIDATES}. staged: on this host's disk; stored: in the volume,"
                    + " surviving power loss; committed: also the loss of this host; replicated: also the loss of any"
                    + " one store (default: stored, with --background staged).")
    private Until until;

    @Option(names = "--move",
            description = "Remove the source once it is saved. With --background it is moved at once, not copied, if"
                    + " it is on the disk of VOLSH_HOME: the command waits only for the sync.")
    private boolean move;

    @Option(names = "--verify", description = "Read back and compare before the checkpoint appears.")
    private boolean verify;

    @Mixin
    private Parallel parallel;

    private boolean there;   // the checkpoint exists; reaching the requested durability may still fail

    @Override
    public Columns<?> columns() {
        return background ? JobViews.COLUMNS : CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        Checkpoints.checkRun(run);
        requireRanks();
        lineage(session);
        if (!Files.isDirectory(source) && !Files.isRegularFile(source)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CKP-0003", "%s: no such file or directory".formatted(source));
        }
        session.service(Volumes.class).find(volume);
        return Plan.of("save", "%s as step %d of run '%s'".formatted(source, step, run),
                "volume '%s'".formatted(volume));
    }

    @Override
    public Rows<?> run(Session session) throws Exception {
        parallel.count();
        requireRanks();
        labels.putAll(lineage(session));
        var request = new SaveRequest(run, step, source, metrics, labels, verify);
        return background ? inBackground(session) : Rows.one(CheckpointViews.COLUMNS, save(session, request)).told();
    }

    /** The labels that record the training data. */
    private Map<String, String> lineage(Session session) throws Exception {
        if (data == null) {
            return Map.of();
        }
        var name = SnapshotName.of(data);
        var volumes = session.service(Volumes.class);
        var found = volumes.snapshots().find(name.volume(), name.name());
        return Map.of("data", name.toString(), "data.volume", volumes.find(name.volume()).id().toString(), "data.tick",
                Long.toString(found.tick()));
    }

    private Checkpoint save(Session session, SaveRequest request) throws Exception {
        try (var open = OpenCheckpoints.writing(session, volume, "save", parallel)) {
            open.requireReaching(until);
            var saved = saved(open, request);
            if (move) {
                LocalTrees.remove(source);
            }
            session.say("saved %s:%s %s".formatted(volume, saved.path(), described(saved)));
            return saved;
        } catch (IOException | RuntimeException failed) {
            if (move) {
                session.warn(there ? "the checkpoint is saved; %s is no longer needed".formatted(source)
                        : "nothing was removed; to retry: volsh checkpoint save %s --run %s --step %d --from %s --move"
                        .formatted(volume, run, step, ShellWord.of(source)));
            }
            throw failed;
        }
    }

    private static String described(Checkpoint saved) {
        var manifest = saved.manifest().orElseThrow();
        int files = manifest.files().size();
        return "(%s, %s, %s of it new%s)".formatted(Count.of(files, "file"),
                new ByteSize(manifest.bytes()), new ByteSize(manifest.fresh()),
                manifest.inline() == 0 ? "" : ", %s inline in the metadata".formatted(new ByteSize(manifest.inline())));
    }

    /** Saves with the requested durability; both outcomes become events. */
    private Checkpoint saved(OpenCheckpoints open, SaveRequest request) throws IOException {
        try {
            var saved = rank == null ? open.all().save(request)
                    : open.all().saveShard(request, rank, world, patience.duration());
            there = true;
            open.reach(until, saved);
            open.tell(Happening.Level.INFO, saved.path(), "saved " + described(saved));
            return saved;
        } catch (IOException | RuntimeException failed) {
            open.tell(Happening.Level.ERROR, "/" + run, "step %d was not saved%s: %s"
                    .formatted(step, there ? " as durably as requested" : "", failed.getMessage()));
            throw failed;
        }
    }

    /** Copies the source and starts a job that saves the copy; waits for the job if {@code --until} asks for more. */
    private Rows<?> inBackground(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "save")) {
            if (open.all().has(run, step)) {
                throw new Refusal(Refusal.Reason.CONFLICT, "step %d of run '%s' is already saved".formatted(step, run),
                        "volsh checkpoint show %s --run %s --step %d".formatted(volume, run, step));
            }
            open.requireReaching(until);
        }
        var stage = new LocalStage(session.service(Home.class).state().resolve("staged"));
        var purpose = new LocalStage.Purpose(volume, run, step,
                rank == null ? OptionalInt.empty() : OptionalInt.of(rank));
        Path copy = move ? stage.take(source, purpose) : stage.copy(source, purpose);
        var jobs = session.service(Jobs.class);
        var job = start(session, jobs, copy);
        if (until == null || until == Until.STAGED) {
            return JobViews.started(job, session);
        }
        while (job.state().isOpen()) {
            session.cancellation().check();
            Thread.sleep(LOOK);
            job = jobs.find(job.id());
        }
        if (job.exit().orElse(1) != 0) {
            throw CommandFailure.of(ExitCode.of(job.exit().orElse(1)), "CKP-0005",
                    "job %s failed to save the checkpoint; the copy is in %s".formatted(job.id(), copy))
                    .hint("volsh job log " + job.id());
        }
        return Rows.one(JobViews.COLUMNS, job);
    }

    private Job start(Session session, Jobs jobs, Path copy) throws IOException {
        try {
            return jobs.launch(words(copy), "checkpoint of step %d of run '%s'".formatted(step, run));
        } catch (IOException | RuntimeException failed) {
            session.warn("cannot start the job that saves the checkpoint; the copy is in " + copy);
            throw failed;
        }
    }

    /** The command line that saves the copy. */
    private List<String> words(Path copy) {
        var words = new ArrayList<>(List.of("checkpoint", "save", volume, "--run", run, "--step", Long.toString(step),
                "--from", copy.toString(), "--move", "--parallel", Integer.toString(parallel.count())));
        metrics.forEach((name, value) -> words.addAll(List.of("--metric", name + "=" + value)));
        labels.forEach((name, value) -> words.addAll(List.of("--label", name + "=" + value)));
        if (rank != null) {
            words.addAll(List.of("--rank", rank.toString(), "--world", world.toString(), "--patience",
                    patience.toString()));
        }
        if (until == Until.COMMITTED || until == Until.REPLICATED) {
            words.addAll(List.of("--until", until.toString()));
        }
        if (verify) {
            words.add("--verify");
        }
        return words;
    }

    private void requireRanks() {
        if (until == Until.STAGED && !background) {
            throw CommandFailure.usage("--until staged needs --background");
        }
        if ((rank == null) != (world == null)) {
            throw CommandFailure.usage("--rank and --world need each other");
        }
        if (rank != null && (world < 1 || rank < 0 || rank >= world)) {
            throw CommandFailure.usage("--rank must be from 0 to %d with --world %d, not %d"
                    .formatted(world - 1, world, rank));
        }
    }
}
