package volsh.command.checkpoint;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.checkpoint.Checkpoint;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "restore", description = {"Bring a checkpoint to a local directory.",
        "It is copied beside it, every file is compared with what was saved, and then it appears there in one step. Without --step it is the"
                + " last one saved that is valid. A directory that holds something is refused unless --force is given, which replaces it."})
@Examples({"volsh checkpoint restore training-data --run r1 --to resume", "volsh checkpoint restore training-data --run r1 --step 1000 --to resume --force"})
final class CheckpointRestore implements Mutation<Rows<Checkpoint>> {
    @Mixin
    private Which which;

    @Option(names = "--to", paramLabel = "DIRECTORY", required = true, description = "Where.")
    private Path target;

    @Option(names = "--force", description = "Replace what the directory holds.")
    private boolean force;

    @Mixin
    private Parallel parallel;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, which.volume(), "restore")) {
            return Plan.of("restore", "%s:%s".formatted(which.volume(), open.find(which.run(), which.step()).path()), "to " + target);
        }
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        parallel.count();
        try (var open = OpenCheckpoints.reading(session, which.volume(), "restore", parallel)) {
            var found = open.find(which.run(), which.step());
            open.all().restore(found, target, force);
            session.say("restored %s:%s to %s".formatted(which.volume(), found.path(), target));
            return Rows.one(CheckpointViews.COLUMNS, found).told();
        }
    }
}
