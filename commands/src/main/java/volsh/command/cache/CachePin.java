package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.warm.Wish;

@Command(name = "pin", description = {"Pin files, or all files below directories, in the cache.",
        "Pinned data is not evicted. A pin covers the current contents of the files, cached already or when read"
                + " later ('volsh cache warm --pin' also loads them). All pins together may take 75 % of the cache; a"
                + " pin that does not fit is refused. Pins survive restarts. Pinning a path again replaces its pin."})
@Examples({"volsh cache pin training-data:/dataset --cache-dir ./cache",
        "volsh cache pin training-data:/dataset/a.tar --cache-dir ./cache --expires 7d --drop"})
final class CachePin implements Mutation<Rows<CachePin.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("volume", Row::volume)
            .text("path", Row::path)
            .number("files", Row::files)
            .number("blocks", Row::blocks)
            .bytes("size", Row::size);

    @Parameters(arity = "1..*", paramLabel = "VOL:/PATH|DIR",
            description = "Paths in a volume, or files and directories on a mount.")
    private List<String> places = List.of();

    @Mixin
    private PinTerms terms = new PinTerms();

    @Mixin
    private CacheChoice choice = new CacheChoice();

    /** The pinned data, in bytes of the cache. */
    record Row(String volume, String path, long files, long blocks, ByteSize size) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        terms.terms();
        var plan = Plan.NOTHING;
        for (var target : new Targets(session, choice).find(places)) {
            for (var path : target.paths()) {
                plan = plan.then("pin", target.place(path), "in " + Places.named(target, choice));
            }
        }
        return plan;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        var doing = new Doing(session, choice, "cache pin");
        for (var target : new Targets(session, choice).find(places)) {
            for (var path : target.paths()) {
                var status = doing.run(target, new Wish.Hold(List.of(path), terms.terms()));
                var size = new ByteSize(status.present());
                rows.add(new Row(target.volume(), path, status.files(), status.blocks(), size));
                session.say("pinned %s (%d files, %s)".formatted(target.place(path), status.files(), size));
            }
        }
        return Rows.of(COLUMNS, rows);
    }
}
