package volsh.command.place;

import java.util.List;
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
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.Rate;
import volsh.volume.Volumes;

@Command(name = "rebalance", description = {"Move the blocks of a volume to their place by the current stores and"
        + " layout.",
        "For volumes that got more stores, which --add adds, or another layout. Readers and writers continue; after"
                + " an interruption, run it again to continue."})
@Examples({"volsh stripe rebalance big --add s7", "volsh stripe rebalance big --limit 200MB/s"})
final class StripeRebalance implements Mutation<Rows<StripeRebalance.Result>> {
    @Parameters(paramLabel = "VOLUME", description = "Volume to rebalance.")
    private String name;

    @Option(names = "--add", paramLabel = "STORE", split = ",",
            description = "Add these stores to the volume first, separated by commas.")
    private List<String> more = List.of();

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the rate, such as 500MiB/s.")
    private @Nullable Rate limit;

    record Result(String volume, List<String> stores, long moved) {}

    private static final Columns<Result> COLUMNS = Columns.of(Result.class)
            .text("volume", Result::volume).text("stores", Result::stores).number("moved", Result::moved);

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        volumes.spreading().checkAdd(name, more);
        var plan = more.isEmpty() ? Plan.NOTHING
                : Plan.of("add", "stores " + String.join(",", more), "to volume '" + name + "'");
        return plan.then("move", "blocks of volume '" + name + "'", "to their place by the current layout");
    }

    @Override
    public Rows<Result> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        if (!more.isEmpty()) {
            volumes.spreading().add(name, more);
        }
        try (var caring = new Caring(session, name, Access.WRITE, "stripe rebalance")) {
            if (limit != null) {
                caring.care().limit(new Bandwidth(limit, Pause.REAL));
            }
            long moved = caring.care().rebalance();
            session.say("moved %d blocks".formatted(moved));
            return Rows.one(COLUMNS, new Result(name, volumes.find(name).stores(), moved));
        }
    }
}
