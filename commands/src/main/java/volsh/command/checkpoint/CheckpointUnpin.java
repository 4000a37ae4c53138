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

@Command(name = "unpin", description = "Let a pinned checkpoint go when its time comes.")
@Examples({"volsh checkpoint unpin training-data --run r1", "volsh checkpoint unpin training-data --run r1 --step 1000"})
final class CheckpointUnpin implements Mutation<Rows<Checkpoint>> {
    @Mixin
    private Which which;

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, which.volume(), "unpin")) {
            return Plan.of("unpin", "%s:%s".formatted(which.volume(), open.find(which.run(), which.step()).path()), "");
        }
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.writing(session, which.volume(), "unpin")) {
            var found = open.find(which.run(), which.step());
            open.all().pin(found, false);
            session.say("unpinned %s:%s".formatted(which.volume(), found.path()));
            return Rows.one(CheckpointViews.COLUMNS, open.find(which.run(), found.step())).told();
        }
    }
}
