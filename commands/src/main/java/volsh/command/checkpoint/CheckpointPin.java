package volsh.command.checkpoint;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.checkpoint.Checkpoint;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "pin", description = "Keep a checkpoint: it is neither pruned nor destroyed until it is unpinned.")
@Examples({"volsh checkpoint pin training-data --run r1", "volsh checkpoint pin training-data --run r1 --step 1000"})
final class CheckpointPin implements Mutation<Rows<Checkpoint>> {
    @Mixin
    private Which which;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, which.volume(), "pin")) {
            return Plan.of("pin", "%s:%s".formatted(which.volume(), open.find(which.run(), which.step()).path()), "");
        }
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.writing(session, which.volume(), "pin")) {
            var found = open.find(which.run(), which.step());
            open.all().pin(found, true);
            session.say("pinned %s:%s".formatted(which.volume(), found.path()));
            return Rows.one(CheckpointViews.COLUMNS, open.find(which.run(), found.step())).told();
        }
    }
}
