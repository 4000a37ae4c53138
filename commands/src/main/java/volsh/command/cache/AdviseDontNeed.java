package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.cache.Targets.Shown;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.warm.Wish;

@Command(name = "dontneed", description = {"Let go of what is cached of files that will not be needed soon.",
        "On every mount of this machine that shows them: in its memory, in its cache directories (unless pinned), and"
                + " in the kernel's page cache. No data is lost, and programs keep working. Small files share blocks,"
                + " which are let go of together."})
@Examples({"volsh advise dontneed training-data:/dataset --dry-run", "volsh advise dontneed /mnt/data/dataset"})
final class AdviseDontNeed implements Mutation<Rows<AdviseDontNeed.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .number("files", Row::files)
            .bytes("pages", Row::pages)
            .bytes("evicted", Row::evicted);

    @Parameters(arity = "1..*", paramLabel = "VOL:/PATH|DIR",
            description = "Files or directories in a volume, or on a mount.")
    private List<String> words;

    /** What the kernel let go of, and what was evicted from cache directories. */
    record Row(String path, long files, ByteSize pages, ByteSize evicted) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        var targets = new Targets(session, new CacheChoice());
        for (var word : words) {
            for (var shown : targets.shown(word)) {
                plan = plan.then("let go of", shown.local().toString(), "from all caches of the mount");
            }
        }
        return plan;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        var targets = new Targets(session, new CacheChoice());
        for (var word : words) {
            for (var shown : targets.shown(word)) {
                rows.add(letGo(session, shown));
            }
        }
        return Rows.of(COLUMNS, rows);
    }

    /** The pages last: the frames they would be read from are gone then. */
    private static Row letGo(Session session, Shown shown) throws Exception {
        var target = shown.target();
        var done = new Doing(session, new CacheChoice(), "advise dontneed").run(target,
                new Wish.Evict(target.paths()));
        var dropped = new KernelPages(session, 1).drop(shown.local());
        return new Row(shown.local().toString(), dropped.files(),
                new ByteSize(Math.max(0, dropped.before() - dropped.resident())), new ByteSize(done.freed()));
    }
}
