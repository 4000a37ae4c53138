package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;

@Command(name = "verify", description = {"Read and verify every frame in cache directories.",
        "Drops damaged blocks, so that they are fetched from the store again. Exit 7 if there was damage."})
@Examples({"volsh cache verify", "volsh cache verify ./cache"})
final class CacheVerify implements Mutation<Outcome<Rows<CacheVerify.Row>>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("directory", Row::directory)
            .text("volume", Row::volume)
            .number("blocks", Row::blocks)
            .number("frames", Row::frames)
            .bytes("size", Row::size)
            .number("dropped", Row::dropped);

    @Parameters(arity = "0..*", paramLabel = "VOLUME|DIRECTORY",
            description =
                    "Cache directory, or volume whose mounts have one (default: all that mounts of this home use).")
    private List<String> places = List.of();

    /** The verified data, and the number of damaged blocks. */
    record Row(String directory, String volume, long blocks, long frames, ByteSize size, long dropped) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var found : new Places(session).find(places)) {
            plan = plan.then("verify", found.cache().directory().toString(),
                    "volume " + found.name() + "; drop damaged blocks");
        }
        return plan;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        long dropped = 0;
        var all = new Places(session);
        for (var found : all.find(places)) {
            var checked = found.cache().verify(session.cancellation()::requested);
            session.cancellation().check();
            var right = checked.right();
            rows.add(new Row(found.cache().directory().toString(), found.name(), right.blocks(), right.frames(),
                    new ByteSize(right.bytes()), checked.damaged()));
            dropped += checked.damaged();
            if (checked.damaged() > 0) {
                all.tell(found);
            }
        }
        session.say(dropped == 0 ? "found no damage"
                : "dropped %d damaged blocks; the next read fetches them from the store".formatted(dropped));
        return new Outcome<>(Rows.of(COLUMNS, rows), dropped == 0 ? ExitCode.OK : ExitCode.INTEGRITY);
    }
}
