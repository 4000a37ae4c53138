package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;

@Command(name = "evict", description = {"Empty cache directories, or delete what they hold of a volume.",
        "Nothing is lost: a cache is never the only copy, and mounts that use it go on."})
@Examples({"volsh cache evict ./cache --dry-run", "volsh cache evict ./cache"})
final class CacheEvict implements Mutation<Rows<CacheEvict.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("directory", Row::directory)
            .text("volume", Row::volume)
            .bytes("freed", Row::freed);

    @Parameters(arity = "1..*", paramLabel = "VOLUME|DIRECTORY", description = "A cache directory, or a volume whose mounts have one.")
    private List<String> places = List.of();

    /** What is free now. */
    record Row(String directory, String volume, ByteSize freed) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var found : new Places(session).find(places)) {
            var held = found.cache().held();
            plan = plan.then("evict", "volume %s from %s".formatted(found.name(), found.cache().directory()),
                    "%d blocks, %s".formatted(held.blocks(), new ByteSize(held.bytes())));
        }
        return plan;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        var all = new Places(session);
        long freed = 0;
        for (var found : all.find(places)) {
            long bytes = found.cache().evict();
            all.tell(found);
            freed += bytes;
            rows.add(new Row(found.cache().directory().toString(), found.name(), new ByteSize(bytes)));
        }
        session.say("freed " + new ByteSize(freed));
        return Rows.of(COLUMNS, rows);
    }
}
