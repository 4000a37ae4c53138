package volsh.command.cache;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.cache.Targets.Target;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.transfer.Survey;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.volume.Volumes;
import volsh.warm.JobStatus;
import volsh.warm.Wish;

@Command(name = "warm", description = {"Load files, or all files below directories, into the cache of a mount.",
        "Skips data that is cached already, so it can be stopped (Ctrl-C) and run again. Evicts data not read since"
                + " the start to make room; when all cached data was read since, ends with exit 8."})
@Examples({"volsh cache warm training-data:/dataset --cache-dir ./cache --dry-run",
        "volsh cache warm training-data:/dataset --cache-dir ./cache --parallel 16 --limit 1GiB/s",
        "volsh cache warm training-data:/dataset/a.tar --cache-dir ./cache --pin --expires 7d --verify",
        "volsh cache warm /mnt/data/dataset --page-cache"})
final class CacheWarm implements Mutation<Outcome<Rows<CacheWarm.Row>>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("volume", Row::volume)
            .text("paths", Row::paths)
            .number("files", Row::files)
            .bytes("size", Row::size)
            .bytes("cached", Row::cached)
            .bytes("fetched", Row::fetched)
            .number("damaged", Row::damaged)
            .text("state", Row::state);

    @Parameters(arity = "1..*", paramLabel = "VOL:/PATH|DIR",
            description = "Paths in a volume, or files and directories on a mount.")
    private List<String> places = List.of();

    @Option(names = "--parallel", paramLabel = "N", defaultValue = "8",
            description = "Fetch this many blocks at a time (default: ${DEFAULT-VALUE}).")
    private int parallel;

    @Option(names = "--limit", paramLabel = "RATE", description = "Limit the fetch rate, such as 500MB/s.")
    private @Nullable Rate limit;

    @Option(names = "--verify", description = "Also verify data that is cached already, and refetch what is damaged.")
    private boolean verify;

    @Option(names = "--pin", description = "Pin everything first, so that it is not evicted: see 'volsh cache pin'.")
    private boolean pin;

    @Option(names = "--page-cache",
            description = "Read the files through the mount, too, so that the kernel holds them in memory. Needs"
                    + " no cache directory.")
    private boolean pageCache;

    @Mixin
    private PinTerms terms = new PinTerms();

    @Mixin
    private CacheChoice choice = new CacheChoice();

    /** Size counts bytes of files; cached before and fetched now count stored bytes. */
    record Row(String volume, String paths, long files, ByteSize size, ByteSize cached, ByteSize fetched, long damaged,
            String state) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private void requireSense() {
        if (parallel < 1 || parallel > Wish.Warm.PARALLEL_MAX) {
            throw CommandFailure.usage("--parallel must be from 1 to %d, not %d".formatted(Wish.Warm.PARALLEL_MAX,
                    parallel));
        }
        if (!pin && terms.given()) {
            throw CommandFailure.usage("--expires and --drop need --pin");
        }
    }

    private Wish.Warm wish(List<String> paths) {
        return new Wish.Warm(paths, parallel, Optional.ofNullable(limit), verify,
                pin ? Optional.of(terms.terms()) : Optional.empty());
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        requireSense();
        var targets = new Targets(session, choice);
        for (var target : targets.find(cached(targets))) {
            wish(target.paths());
            var survey = survey(session, target);
            plan = plan.then(pin ? "warm and pin" : "warm", target.toString(), "%d files, %s, into %s".formatted(
                    survey.files(), new ByteSize(survey.bytes()), Places.named(target, choice)));
        }
        for (var place : pageCache ? places : List.<String>of()) {
            var path = targets.mounted(place);
            plan = plan.then("read", path.toString(), "%d files, into the page cache".formatted(
                    KernelPages.files(path).size()));
        }
        return plan;
    }

    private static Survey survey(Session session, Target target) throws Exception {
        var survey = new Survey(session.cancellation()::requested);
        try (var volume = session.service(Volumes.class).open(target.volume(), Access.NAMES, "cache warm")) {
            for (var path : target.paths()) {
                survey.add(volume.vfs(), volume.paths().resolve(path));
            }
        }
        return survey;
    }

    @Override
    public Outcome<Rows<Row>> run(Session session) throws Exception {
        requireSense();
        var rows = new ArrayList<Row>();
        var exit = ExitCode.OK;
        var targets = new Targets(session, choice);
        var paths = new ArrayList<Path>();
        for (var place : pageCache ? places : List.<String>of()) {
            paths.add(targets.mounted(place));
        }
        for (var target : targets.find(cached(targets))) {
            var status = new Doing(session, choice, "cache warm").run(target, wish(target.paths()));
            rows.add(row(target, status));
            tell(session, target, status);
            exit = status.damaged() > 0 ? ExitCode.INTEGRITY : status.full() ? ExitCode.NO_SPACE : exit;
        }
        for (var path : paths) {
            var row = fillPages(session, targets, path);
            rows.add(row);
            exit = row.state().equals("full") ? ExitCode.NO_SPACE : exit;
        }
        return new Outcome<>(Rows.of(COLUMNS, rows), exit);
    }

    /** With --page-cache, a mount without cache directories will do. */
    private List<String> cached(Targets targets) throws Exception {
        var cached = new ArrayList<String>();
        for (var place : places) {
            if (!pageCache || !targets.hasNoCache(place)) {
                cached.add(place);
            }
        }
        return cached;
    }

    private Row fillPages(Session session, Targets targets, Path path) throws Exception {
        var filled = new KernelPages(session, parallel).fill(path);
        boolean all = filled.resident() >= filled.bytes();
        if (!all) {
            session.warn("the kernel holds only %s of %s of %s; free memory is short".formatted(
                    new ByteSize(filled.resident()), new ByteSize(filled.bytes()), path));
        }
        session.say("%s: %d files, %s in the page cache, %s of them before".formatted(path, filled.files(),
                new ByteSize(filled.resident()), new ByteSize(filled.before())));
        return new Row(targets.mountOf(path.toString()).map(mount -> mount.record().source().volume()).orElse(""),
                path.toString(), filled.files(), new ByteSize(filled.bytes()), new ByteSize(filled.before()),
                new ByteSize(Math.max(0, filled.resident() - filled.before())), 0, all ? "page cache" : "full");
    }

    private static Row row(Target target, JobStatus status) {
        return new Row(target.volume(), String.join(" ", target.paths()), status.files(),
                new ByteSize(status.doneBytes()), new ByteSize(status.present()), new ByteSize(status.fetched()),
                status.damaged(), status.full() ? "full" : "warm");
    }

    private static void tell(Session session, Target target, JobStatus status) {
        if (status.full()) {
            session.warn("the cache is full: it holds %s of %s".formatted(new ByteSize(status.doneBytes()), target));
        }
        status.problem().ifPresent(problem -> session.warn(problem.text()));
        session.say("%s: %d files, %s fetched, %s already cached".formatted(
                target, status.files(), new ByteSize(status.fetched()), new ByteSize(status.present())));
    }
}
