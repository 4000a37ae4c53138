package volsh.command.checkpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.Retention;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;

@Command(name = "queue", description = {"Have a mount save a checkpoint in the background, and return at once.",
        "Data on the mount is cloned without copying bytes before this returns, so the job may continue and overwrite"
                + " it; data elsewhere, with --mount, must stay unchanged until it is saved. One checkpoint is saved"
                + " at a time and one more may wait: a step that comes when both places are taken is skipped, which"
                + " the answer reports and volsh checkpoint status counts. A failure of an earlier save is a warning"
                + " here, and the exit code of volsh checkpoint wait; this checkpoint is saved all the same.",
        "Programs can use the mount's socket: see scripts/examples/train_loop.py."})
@Examples({"volsh checkpoint queue /mnt/ckpts/step_5000.pt --run r1 --step 5000 --keep last=3",
        "volsh checkpoint queue ./out --mount /mnt/ckpts --run r1 --step 5000"})
final class CheckpointQueue implements Mutation<Rows<CheckpointQueue.Queued>> {
    private static final Columns<Queued> COLUMNS = Columns.of(Queued.class)
            .text("answer", Queued::answer)
            .text("run", Queued::run)
            .number("step", Queued::step)
            .text("mount", Queued::mount);

    @Parameters(paramLabel = "PATH", description = "File or directory to save.")
    private Path path;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Name the training run.")
    private String run;

    @Option(names = "--step", paramLabel = "N", required = true, description = "Set the step.")
    private long step;

    @Option(names = "--mount", paramLabel = "DIRECTORY",
            description = "Save through this mount, if the path is not on one.")
    private @Nullable Path mount;

    @Option(names = "--keep", paramLabel = "RULES",
            description = "Delete what no rule keeps after the save, such as last=3; see volsh checkpoint prune.")
    private @Nullable String keep;

    @Option(names = "--metric", paramLabel = "NAME=NUMBER",
            description = "Record a metric, such as loss=0.31; may be repeated.")
    private Map<String, Double> metrics = new LinkedHashMap<>();

    record Queued(String answer, String run, long step, Path mount) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private Path place(Session session) throws Exception {
        Checkpoints.checkRun(run);
        if (!Files.exists(path)) {
            throw CommandFailure.of(ExitCode.NOT_FOUND, "CKP-0008", "%s: no such file or directory".formatted(path));
        }
        if (keep != null) {
            Retention.of(keep);
        }
        Path asked = (mount == null ? path : mount).toAbsolutePath().normalize();
        return session.service(Mounts.class).mountOf(asked).orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND,
                "CKP-0004", "%s is not on a mount of volsh".formatted(asked)).hint("volsh mounts list"));
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return Plan.of("save", "%s as step %d of run '%s'".formatted(path, step, run),
                "by the mount on " + place(session));
    }

    @Override
    public Rows<Queued> run(Session session) throws Exception {
        Path place = place(session);
        var options = new ArrayList<String>();
        if (keep != null) {
            options.add("keep=" + keep);
        }
        metrics.forEach((name, value) -> options.add("metric:%s=%s".formatted(name, value)));
        warn(session, place);
        boolean queued = session.service(Mounts.class)
                .saveCheckpoint(place, run, step, path.toAbsolutePath().normalize(), List.copyOf(options));
        if (queued) {
            session.say("step %d of run '%s' is being saved".formatted(step, run));
        } else {
            session.warn("step %d of run '%s' is skipped: an earlier step is still being saved".formatted(step, run));
        }
        return Rows.one(COLUMNS, new Queued(queued ? "queued" : "skipped", run, step, place)).told();
    }

    /** Warns of failed saves that no wait has reported. */
    private void warn(Session session, Path place) throws Exception {
        for (var queue : session.service(Mounts.class).checkpoints(place)) {
            if (queue.run().equals(run) && queue.untold() > 0) {
                session.warn("%s of run '%s' not saved; last error: %s"
                        .formatted(queue.untold() == 1 ? "1 step" : queue.untold() + " steps", run, queue.error()));
            }
        }
    }
}
