package volsh.command.checkpoint;

import picocli.CommandLine.Mixin;
import volsh.checkpoint.Checkpoint;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

/** Pins or unpins a checkpoint. */
abstract class Pinning implements Mutation<Rows<Checkpoint>> {
    private final boolean pinned;

    @Mixin
    private Which which;

    Pinning(boolean pinned) {
        this.pinned = pinned;
    }

    private String verb() {
        return pinned ? "pin" : "unpin";
    }

    @Override
    public Columns<?> columns() {
        return CheckpointViews.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var open = OpenCheckpoints.reading(session, which.volume(), verb())) {
            return Plan.of(verb(), "%s:%s".formatted(which.volume(), open.find(which.run(), which.step()).path()), "");
        }
    }

    @Override
    public Rows<Checkpoint> run(Session session) throws Exception {
        try (var open = OpenCheckpoints.writing(session, which.volume(), verb())) {
            var found = open.find(which.run(), which.step());
            open.all().pin(found, pinned);
            session.say("%sned %s:%s".formatted(verb(), which.volume(), found.path()));
            return Rows.one(CheckpointViews.COLUMNS, open.find(which.run(), found.step())).told();
        }
    }
}
