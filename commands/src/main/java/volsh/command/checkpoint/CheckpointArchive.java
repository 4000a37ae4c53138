package volsh.command.checkpoint;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.checkpoint.Archiving.Moving;
import volsh.checkpoint.Retention;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.place.LayoutOptions;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.event.Happening;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.volume.Volumes;

@Command(name = "archive", description = {"Move checkpoints that no --keep rule selects to another layout.",
        "For cheap stores and erasure coding. New checkpoints use the layout of the volume, such as"
                + " 'stripe:1,pool=fast'; checkpoints that --keep does not select move to the layout given here. The"
                + " rules are those of volsh checkpoint prune; the newest valid checkpoint and latest never move,"
                + " pinned checkpoints do. Names stay the same; list, verify and restore work as before.",
        "Blocks shared with a checkpoint that stays are left in place, and follow when that checkpoint moves. Readers"
                + " and writers continue; after an interruption, run the command again to continue. With -n it only"
                + " shows what would move."})
@Examples({"volsh checkpoint archive big --run r1 --keep last=2 --mirror 2 --dry-run",
        "volsh checkpoint archive big --run r1 --keep last=1 --layout mirror:2",
        "volsh checkpoint archive big --run r1 --keep last=2,best=loss:min:1 --ec 4+2 --limit 500MiB/s"})
final class CheckpointArchive implements Mutation<Rows<Moving>> {
    private static final Columns<Moving> COLUMNS = Columns.of(Moving.class)
            .text("path", row -> row.checkpoint().path())
            .number("step", row -> row.checkpoint().step())
            .bytes("size", row -> row.checkpoint().manifest().orElseThrow().bytes())
            .number("blocks", Moving::blocks)
            .bytes("moved", Moving::bytes)
            .number("left", Moving::left);

    @Parameters(paramLabel = "VOLUME", description = "Volume of the run.")
    private String volume;

    @Option(names = "--run", paramLabel = "RUN", required = true, description = "Select the training run.")
    private String run;

    @Option(names = "--keep", paramLabel = "RULES", required = true,
            description = "Keep these in place, such as last=2,best=loss:min:1.")
    private Retention keep;

    @Mixin
    private LayoutOptions layout;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the rate, such as 500MiB/s.")
    private @Nullable Rate limit;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private LayoutPolicy policy(Session session) throws Exception {
        var policy = layout.policy().orElseThrow(() ->
                CommandFailure.usage("missing layout: give --stripe-count, --mirror, --ec or --layout")
                .hint("volsh checkpoint archive %s --run %s --keep last=2 --layout stripe:all --dry-run"
                        .formatted(volume, run)));
        session.service(Volumes.class).spreading().checkPolicy(volume, policy);
        return policy;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var policy = policy(session);
        try (var open = OpenCheckpoints.reading(session, volume, "archive")) {
            var plan = Plan.NOTHING;
            for (var one : open.archiving(policy, care -> { }).plan(run, keep)) {
                plan = plan.then("move", volume + ":" + one.checkpoint().path(),
                        "%s in %d blocks to %s".formatted(new ByteSize(one.bytes()), one.blocks(), policy));
            }
            return plan;
        }
    }

    @Override
    public Rows<Moving> run(Session session) throws Exception {
        var policy = policy(session);
        try (var open = OpenCheckpoints.writing(session, volume, "archive")) {
            List<Moving> moved = open.archiving(policy, care -> {
                if (limit != null) {
                    care.limit(new Bandwidth(limit, Pause.REAL));
                }
            }).run(run, keep);
            for (var one : moved) {
                open.tell(Happening.Level.INFO, one.checkpoint().path(), "moved to " + policy);
                session.say("moved %s:%s to %s (%s in %d blocks; %d blocks stay with newer checkpoints)".formatted(
                        volume, one.checkpoint().path(), policy, new ByteSize(one.bytes()), one.blocks(), one.left()));
            }
            return Rows.of(COLUMNS, moved).told();
        }
    }
}
