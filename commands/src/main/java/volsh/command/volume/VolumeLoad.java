package volsh.command.volume;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.engine.postgres.PostgresUrl;
import volsh.unit.ByteSize;
import volsh.upkeep.dump.DumpLoader;
import volsh.volume.Volumes;

@Command(name = "load", description = {"Create a volume from a dump.",
        "Its metadata may be in another place than before, in a database or on this machine. Blocks that the dump names"
                + " are copied from their store, which stays unchanged: the two volumes share nothing. A truncated,"
                + " changed or invalid dump creates nothing."})
@Examples({"volsh volume load saved.dump restored",
        "volsh volume load saved.dump restored-in-lake --store lake --dry-run"})
final class VolumeLoad implements Mutation<Rows<VolumeLoad.Loaded>> {
    @Parameters(index = "0", paramLabel = "FILE", description = "Dump file; - is standard input.")
    private String file;

    @Parameters(index = "1", paramLabel = "NAME", description = "Name of the new volume.")
    private String name;

    @Option(names = "--store", paramLabel = "STORE",
            description = "Keep blocks in this store; several, separated by commas, are used as the old ones were, or"
                    + " striped (default: the stores of the old volume, if they have the same names here).")
    private @Nullable String store;

    @Option(names = "--meta", paramLabel = "URL",
            description = "Keep metadata here: postgres://user@host/database (default: on this machine).")
    private @Nullable PostgresUrl meta;

    @Option(names = "--move",
            description = "Move the metadata of volume NAME, from a current dump of it, to --meta or to this machine;"
                    + " its blocks stay where they are. Sets the old metadata aside.")
    private boolean move;

    /** The result. */
    record Loaded(String name, long files, ByteSize bytes, long rows) {}

    @Override
    public Columns<?> columns() {
        return Columns.derived(Loaded.class);
    }

    private VolumeDraft draft() {
        var draft = VolumeDraft.named(name);
        if (store != null) {
            var names = List.of(store.split(",", -1));
            draft = names.size() == 1 ? draft.withStore(store) : draft.withSpread(StoreLayout.of(names));
        }
        return meta == null ? draft : draft.withDatabase(meta);
    }

    private InputStream open(Session session) throws IOException {
        return file.equals("-") ? session.in() : Files.newInputStream(Path.of(file));
    }

    private Optional<PostgresUrl> target() {
        if (store != null) {
            throw CommandFailure.usage("--move and --store exclude each other: --move leaves the blocks where they"
                    + " are");
        }
        return Optional.ofNullable(meta).map(url -> url.volume().isEmpty() ? url.withVolume(name) : url);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var in = open(session)) {
            if (move) {
                session.service(Volumes.class).upkeep().checkMove(name, new DumpLoader.Source(in), target());
                return Plan.of("move", "metadata of " + VolumeViews.quoted(name),
                        target().map(PostgresUrl::toString).orElse("to this machine"));
            }
            var spec = session.service(Volumes.class).upkeep().checkLoad(new DumpLoader.Source(in), draft());
            return Plan.of("load", VolumeViews.quoted(name), VolumeViews.summary(spec));
        }
    }

    @Override
    public Rows<Loaded> run(Session session) throws Exception {
        try (var in = open(session); var watcher = new UpkeepProgress(session)) {
            var volumes = session.service(Volumes.class);
            var made = move ? volumes.upkeep().move(name, new DumpLoader.Source(in), target(), watcher)
                    : volumes.upkeep().load(new DumpLoader.Source(in), draft(), watcher);
            session.say((move ? "moved" : "loaded") + " %s: %d files with %s".formatted(VolumeViews.quoted(name),
                    made.files(), new ByteSize(made.bytes())));
            return Rows.one(Columns.derived(Loaded.class),
                    new Loaded(name, made.files(), new ByteSize(made.bytes()), made.rows())).told();
        }
    }
}
