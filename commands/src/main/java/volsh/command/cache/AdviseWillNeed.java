package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.cache.Targets.Shown;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.warm.Wish;

@Command(name = "willneed", description = {"Load files that will be needed into the caches of their mounts.",
        "On every mount of this machine that shows them: into its cache directories, or into the kernel's page cache"
                + " if it has none. Returns when they are loaded, and keeps nothing: see 'volsh cache pin' for that."})
@Examples({"volsh advise willneed training-data:/dataset", "volsh advise willneed /mnt/data/dataset --dry-run"})
final class AdviseWillNeed implements Mutation<Outcome<Rows<AdviseWillNeed.Row>>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("path", Row::path)
            .text("into", Row::into)
            .number("files", Row::files)
            .bytes("size", Row::size)
            .bytes("before", Row::before);
    private static final int PARALLEL = 8;

    @Parameters(arity = "1..*", paramLabel = "VOL:/PATH|DIR",
            description = "Files or directories in a volume, or on a mount.")
    private List<String> words;

    /** {@code before} is what was cached already. */
    record Row(String path, String into, long files, ByteSize size, ByteSize before) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private static String into(Shown shown) {
        return shown.mount().directories().isEmpty() ? "page cache" : Places.named(shown.target(), new CacheChoice());
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        var targets = new Targets(session, new CacheChoice());
        for (var word : words) {
            for (var shown : targets.shown(word)) {
                plan = plan.then("load", shown.local().toString(), "into " + into(shown));
            }
        }
        return plan;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        var rows = new ArrayList<Row>();
        var exit = ExitCode.OK;
        var targets = new Targets(session, new CacheChoice());
        for (var word : words) {
            for (var shown : targets.shown(word)) {
                boolean full = shown.mount().directories().isEmpty() ? pages(session, shown, rows)
                        : directories(session, shown, rows);
                if (full) {
                    session.warn("%s: not all of it is loaded: there is no more room, or it is advised sequential"
                            .formatted(shown.local()));
                    exit = ExitCode.NO_SPACE;
                }
            }
        }
        return new Outcome<>(Rows.of(COLUMNS, rows), exit);
    }

    /** Adds a row; whether there was too little room. */
    private static boolean pages(Session session, Shown shown, List<Row> rows) throws Exception {
        var filled = new KernelPages(session, PARALLEL).fill(shown.local());
        rows.add(new Row(shown.local().toString(), into(shown), filled.files(), new ByteSize(filled.bytes()),
                new ByteSize(filled.before())));
        return filled.resident() < filled.bytes();
    }

    private static boolean directories(Session session, Shown shown, List<Row> rows) throws Exception {
        var target = shown.target();
        var done = new Doing(session, new CacheChoice(), "advise willneed").run(target,
                new Wish.Warm(target.paths(), PARALLEL, Optional.empty(), false, Optional.empty()));
        rows.add(new Row(shown.local().toString(), into(shown), done.files(), new ByteSize(done.doneBytes()),
                new ByteSize(done.present())));
        return done.full();
    }
}
