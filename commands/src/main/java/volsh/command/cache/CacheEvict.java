package volsh.command.cache;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.unit.ByteSize;
import volsh.warm.Wish;

@Command(name = "evict", description = {
        "Empty cache directories, or evict a volume, or its files and directories, from them.",
        "No data is lost: a cache is never the only copy, and mounts keep working. Pinned data stays. Small files"
                + " share blocks, which are evicted together."})
@Examples({"volsh cache evict ./cache --dry-run", "volsh cache evict training-data:/dataset --cache-dir ./cache",
        "volsh cache evict ./cache", "volsh cache evict --all"})
final class CacheEvict implements Mutation<Rows<CacheEvict.Row>> {
    private static final Columns<Row> COLUMNS = Columns.of(Row.class)
            .text("directory", Row::directory)
            .text("volume", Row::volume)
            .text("path", Row::path)
            .bytes("freed", Row::freed);

    @Parameters(arity = "0..*", paramLabel = "VOLUME|DIRECTORY|VOL:/PATH",
            description = "Cache directory, volume whose mounts have one, or path in a volume or on a mount.")
    private List<String> places = List.of();

    @Option(names = "--all", description = "Empty all cache directories that mounts of this home use.")
    private boolean all;

    @Mixin
    private CacheChoice choice = new CacheChoice();

    /** The freed bytes. */
    record Row(String directory, String volume, String path, ByteSize freed) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    /** Separates words that name files from words that name whole caches. */
    private record Words(List<String> paths, List<String> caches) {}

    private Words words(Targets targets) {
        if (all == !places.isEmpty()) {
            throw CommandFailure.usage("missing cache directory, volume or path (or --all)");
        }
        var paths = places.stream().filter(word -> VolumePath.isOne(word) || targets.mountOf(word).isPresent())
                .toList();
        return new Words(paths, places.stream().filter(word -> !paths.contains(word)).toList());
    }

    private List<Places.Found> caches(Session session, Words words) throws Exception {
        return all || !words.caches().isEmpty() ? new Places(session).find(words.caches()) : List.of();
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var targets = new Targets(session, choice);
        var words = words(targets);
        var plan = Plan.NOTHING;
        for (var found : caches(session, words)) {
            var held = found.cache().held();
            plan = plan.then("evict", "volume %s from %s".formatted(found.name(), found.cache().directory()),
                    "%d blocks, %s".formatted(held.blocks(), new ByteSize(held.bytes())));
        }
        for (var target : targets.find(words.paths())) {
            plan = plan.then("evict", target.toString(), "from " + Places.named(target, choice));
        }
        return plan;
    }

    @Override
    public Rows<Row> run(Session session) throws Exception {
        var targets = new Targets(session, choice);
        var words = words(targets);
        var rows = new ArrayList<Row>();
        var known = new Places(session);
        for (var found : caches(session, words)) {
            long bytes = found.cache().evict();
            known.tell(found);
            rows.add(new Row(found.cache().directory().toString(), found.name(), "/", new ByteSize(bytes)));
        }
        var doing = new Doing(session, choice, "cache evict");
        for (var target : targets.find(words.paths())) {
            var status = doing.run(target, new Wish.Evict(target.paths()));
            rows.add(new Row(Places.named(target, choice), target.volume(), String.join(" ", target.paths()),
                    new ByteSize(status.freed())));
        }
        session.say("freed " + new ByteSize(rows.stream().mapToLong(row -> row.freed().bytes()).sum()));
        return Rows.of(COLUMNS, rows);
    }
}
