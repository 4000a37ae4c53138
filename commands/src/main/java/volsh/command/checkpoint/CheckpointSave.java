package volsh.command.checkpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;

@Command(name = "save", description = {"Save a directory as the checkpoint of a step.",
        "It appears as VOLUME:/RUN/step-N when it is whole and survives power loss, and RUN/latest leads to it; whoever looks before finds the"
                + " one before. A manifest in it holds the SHA-256 of every file. A file that changes while it is saved fails the save, and nothing is left.",
        "Of several who save the same step, one succeeds and the others exit 4."})
@Examples({"volsh checkpoint save training-data --run r1 --step 5000 --from dataset",
        "volsh checkpoint save training-data --run r1 --step 6000 --from dataset --metric loss=0.31 --verify"})
final class CheckpointSave implements Mutation<Rows<Checkpoint>> {
    @Parameters(paramLabel = "VOLUME", description = "The volume.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "The training run.")
    private String run;

    @Option(names = "--step", paramLabel = "N", required = true, description = "The step.")
    private long step;

    @Option(names = "--from", paramLabel = "DIRECTORY", required = true, description = "What to save.")
    private Path source;

    @Option(names = "--metric", paramLabel = "NAME=NUMBER", description = "What the job says of it, such as loss=0.31; may be repeated.")
    private Map<String, Double> metrics = new LinkedHashMap<>();

    @Option(names = "--verify", description = "Read it back and compare before it appears.")
    private boolean verify;

    @Mixin
    private Parallel parallel;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        Checkpoints.checkRun(run);
        if (!Files.isDirectory(source)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CKP-0003", "%s is not a directory".formatted(source));
        }
        session.service(volsh.volume.Volumes.class).find(volume);
        return Plan.of("save", "%s as step %d of run '%s'".formatted(source, step, run), "volume '%s'".formatted(volume));
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        parallel.count();
        try (var open = OpenCheckpoints.writing(session, volume, "save", parallel)) {
            var saved = open.all().save(run, step, source, metrics, verify);
            var manifest = saved.manifest().orElseThrow();
            int files = manifest.files().size();
            session.say("saved %s:%s (%d %s, %s)".formatted(volume, saved.path(), files, files == 1 ? "file" : "files", new ByteSize(manifest.bytes())));
            return Rows.one(CheckpointViews.COLUMNS, saved).told();
        }
    }
}
