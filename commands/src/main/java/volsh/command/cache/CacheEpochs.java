package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.cache.Epochs;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.cache.Targets.Mounted;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Percent;

@Command(name = "epochs", description = {"Show the cache hit ratio of each pass over the data.",
        "--sizes forecasts other cache sizes. A pass ends when its data is read again (one frame in fifty): in a"
                + " training loop, an epoch. One row shows memory, and one row each cache directory, which sees only"
                + " what memory misses. Data read ahead counts as a hit, but not in forecasts. Forecasts cover the"
                + " last complete pass and simulate each cache size on a sample of the reads; they are accurate to"
                + " about 4 points for loops, less for random reads."})
@Examples({"volsh cache epochs", "volsh cache epochs --sizes -o json"})
final class CacheEpochs implements Action<Rows<?>>, Listing {
    private static final Columns<PassRow> PASSES = Columns.of(PassRow.class)
            .text("mount", PassRow::mount)
            .text("tier", PassRow::tier)
            .number("pass", PassRow::pass)
            .text("state", PassRow::state)
            .bytes("read", PassRow::read)
            .number("hits", PassRow::hits)
            .number("misses", PassRow::misses)
            .number("ratio", PassRow::ratio);

    private static final Columns<SizeRow> SIZES = Columns.of(SizeRow.class)
            .text("mount", SizeRow::mount)
            .text("tier", SizeRow::tier)
            .text("factor", SizeRow::factor)
            .bytes("size", SizeRow::size)
            .number("ratio", SizeRow::ratio)
            .number("sampled", SizeRow::sampled);

    @Parameters(arity = "0..*", paramLabel = "VOLUME|DIRECTORY",
            description = "Mounts, by directory or volume (default: all mounts of this home).")
    private List<String> places = List.of();

    @Option(names = "--sizes", description = "Forecast the hit ratio for other cache sizes.")
    private boolean sizes;

    record PassRow(String mount, String tier, long pass, String state, ByteSize read, long hits, long misses,
            Percent ratio) {}

    record SizeRow(String mount, String tier, String factor, ByteSize size, Percent ratio, long sampled) {}

    @Override
    public Columns<?> columns() {
        return sizes ? SIZES : PASSES;
    }

    @Override
    public Rows<?> run(Session session) throws Exception {
        var passRows = new ArrayList<PassRow>();
        var sizeRows = new ArrayList<SizeRow>();
        for (var mount : new Targets(session, new CacheChoice()).mounts(places)) {
            for (var tier : session.service(Mounts.class).epochs(mount.mountPoint())) {
                addPasses(mount, tier, passRows);
                addSizes(mount, tier, sizeRows);
            }
        }
        return sizes ? Rows.of(SIZES, sizeRows) : Rows.of(PASSES, passRows);
    }

    private static void addPasses(Mounted mount, Epochs tier, List<PassRow> rows) {
        for (var pass : tier.passes()) {
            rows.add(new PassRow(mount.mountPoint().toString(), tier.tier(), pass.number(),
                    pass.whole() ? "whole" : "running", new ByteSize(pass.bytes()), pass.hits(), pass.misses(),
                    pass.hits() + pass.misses() == 0 ? null : percent(pass.hitRatio())));
        }
    }

    private static void addSizes(Mounted mount, Epochs tier, List<SizeRow> rows) {
        for (var one : tier.forecasts()) {
            rows.add(new SizeRow(mount.mountPoint().toString(), tier.tier(), one.factor() + "x",
                    new ByteSize(one.bytes()), percent(one.hitRatio()), one.sampled()));
        }
    }

    private static Percent percent(double ratio) {
        return new Percent(Math.round(1000 * ratio) / 10.0);
    }
}
