package volsh.command.place;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.place.Members;
import volsh.unit.Rate;
import volsh.volume.Volumes;

@Command(name = "drain", description = {"Move all blocks of volumes with several stores out of a store.",
        "New blocks go to the other stores at once, and existing blocks are moved. Then the store no longer belongs"
                + " to these volumes, and 'volsh store remove' can forget it; only if it is the first store of a"
                + " volume, it keeps mark and shipped metadata. After an interruption, run it again to continue."})
@Examples({"volsh store drain s2", "volsh store drain s2 --limit 200MB/s", "volsh store drain s2 --cancel"})
final class StoreDrain implements Mutation<Rows<StoreDrain.Result>> {
    private static final int PASSES_MAX = 100;

    @Parameters(paramLabel = "STORE", description = "Store to drain.")
    private String store;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the rate, such as 500MiB/s.")
    private @Nullable Rate limit;

    @Option(names = "--cancel", description = "Use the store for new blocks again, and move nothing.")
    private boolean cancel;

    record Result(String volume, long moved, boolean takenOut) {}

    private static final Columns<Result> COLUMNS = Columns.of(Result.class)
            .text("volume", Result::volume).number("moved", Result::moved)
            .text("takenOut", result -> result.takenOut() ? "yes" : "no");

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var spreading = session.service(Volumes.class).spreading();
        var plan = Plan.NOTHING;
        for (var volume : spreading.users(store)) {
            if (!cancel) {
                spreading.checkLeave(volume, store);
            }
            plan = plan.then(cancel ? "use again" : "drain", "store '" + store + "'",
                    "of volume '" + volume.name() + "'");
        }
        return plan;
    }

    @Override
    public Rows<Result> run(Session session) throws Exception {
        plan(session);
        var spreading = session.service(Volumes.class).spreading();
        var rows = new ArrayList<Result>();
        for (var volume : spreading.users(store)) {
            spreading.leave(volume.name(), store, !cancel);
            rows.add(cancel ? new Result(volume.name(), 0, false) : drain(session, volume.name()));
        }
        if (rows.isEmpty()) {
            session.say("no volume has blocks in store '%s'; to forget it: volsh store remove %s"
                    .formatted(store, store));
        }
        return Rows.of(COLUMNS, rows);
    }

    private Result drain(Session session, String volume) throws Exception {
        long moved = 0;
        try (var caring = new Caring(session, volume, Access.WRITE, "store drain")) {
            if (limit != null) {
                caring.care().limit(new Bandwidth(limit, Pause.REAL));
            }
            int number = caring.volume().spot().orElseThrow().store().members().entries().stream()
                    .filter(entry -> entry.name().equals(store)).mapToInt(Members.Entry::number).findFirst()
                    .orElseThrow();
            long more;
            int passes = 0;
            do {   // writers may not know yet
                more = caring.care().drain(number);
                moved += more;
                if (++passes > PASSES_MAX) {
                    throw CommandFailure.of(ExitCode.BUSY, "VOL-0005", "cannot drain store '" + store
                            + "': mounts write new blocks to it as fast as blocks move out")
                            .hint("volsh mounts list");
                }
            } while (more > 0);
        }
        var volumes = session.service(Volumes.class);
        boolean out = !volumes.spreading().takeOut(volume, store).stores().contains(store);
        session.say("moved %d blocks of volume '%s' out of store '%s'".formatted(moved, volume, store));
        return new Result(volume, moved, out);
    }
}
