package volsh.command.checkpoint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.checkpoint.Retention;
import volsh.checkpoint.Watch;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Span;

@Command(name = "watch", description = {"Save what a training job writes on a mount as checkpoints.",
        "Saves a file or directory with a matching name when no program has it open and nothing in it changed for a"
                + " while; the last number in its name is the step. No bytes are copied: the checkpoint shares them"
                + " with the file, which may then be overwritten or removed. Skips steps that are saved already.",
        "Continues until Ctrl-C; with --once until everything present now is saved."})
@Examples({"volsh checkpoint watch /mnt/ckpts --run r1 --pattern 'step_*.pt'",
        "volsh checkpoint watch /mnt/ckpts/out --run r1 --pattern 'checkpoint-*' --keep last=3 --once"})
final class CheckpointWatch implements Mutation<Rows<Checkpoint>> {
    @Parameters(paramLabel = "DIRECTORY", description = "Mount point, or a directory below it.")
    private Path directory;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Name the training run.")
    private String run;

    @Option(names = "--pattern", paramLabel = "PATTERN", required = true,
            description = "Match these names, such as step_*.pt; * and ? as in a shell.")
    private String pattern;

    @Option(names = "--settle", paramLabel = "TIME", defaultValue = "2s",
            description = "Save after no change for this long (default: ${DEFAULT-VALUE}).")
    private Span settle;

    @Option(names = "--every", paramLabel = "TIME", defaultValue = "1s",
            description = "Check this often (default: ${DEFAULT-VALUE}).")
    private Span every;

    @Option(names = "--keep", paramLabel = "RULES",
            description = "After each save, delete what no rule keeps; see volsh checkpoint prune.")
    private @Nullable Retention keep;

    @Option(names = "--once", description = "Exit when everything present now is saved.")
    private boolean once;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    private VolumePath place(Session session) throws Exception {
        Checkpoints.checkRun(run);
        Path asked = directory.toAbsolutePath().normalize();
        return session.service(Mounts.class).volumePath(asked).orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND,
                "CKP-0004", "%s is not on a mount of volsh".formatted(asked)).hint("volsh mounts list"));
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return Plan.of("save", "%s below %s as they appear".formatted(pattern, directory),
                "as run '%s' of volume '%s'".formatted(run, place(session).volume()));
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        var place = place(session);
        var mounts = session.service(Mounts.class);
        var saved = new ArrayList<Checkpoint>();
        try (var open = OpenCheckpoints.writing(session, place.volume(), "watch")) {
            var watch = new Watch(open.vfs(), place.path(), pattern, settle.duration(), session.clock(),
                    ino -> mounts.isOpen(place.volume(), ino));
            do {
                for (var ready : watch.look()) {
                    session.cancellation().check();
                    save(session, open, place, ready).ifPresent(saved::add);
                    watch.done(ready);
                }
            } while (!(once && watch.isQuiet()) && pause(session));
        }
        return Rows.of(CheckpointViews.COLUMNS, List.copyOf(saved)).told();
    }

    private Optional<Checkpoint> save(Session session, OpenCheckpoints open, VolumePath place, Watch.Ready ready)
            throws Exception {
        if (open.all().has(run, ready.step())) {
            return Optional.empty();
        }
        var checkpoint = open.all().saveFrom(run, ready.step(), ready.path(), ready.attributes(), Map.of(),
                Map.of("from", ready.name()));
        session.say("saved %s as %s:%s (%s)".formatted(ready.name(), place.volume(), checkpoint.path(),
                new ByteSize(checkpoint.manifest().orElseThrow().bytes())));
        if (keep != null) {
            for (var spare : open.all().spare(run, keep)) {
                open.all().destroy(spare);
                session.say("removed %s:%s".formatted(place.volume(), spare.path()));
            }
        }
        return Optional.of(checkpoint);
    }

    /** False after Ctrl-C: the checkpoints saved so far are the result. */
    private boolean pause(Session session) throws InterruptedException {
        long deadline = System.nanoTime() + every.duration().toNanos();
        while (System.nanoTime() < deadline && !session.cancellation().requested()) {
            Thread.sleep(20);
        }
        return !session.cancellation().requested();
    }
}
