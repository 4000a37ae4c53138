package volsh.command.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.BlockStore;
import volsh.block.StoreUrl;
import volsh.catalog.StoreEntry;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "show", description = "Show the URL of a store, the volumes that use it, and its free space.")
@Examples({"volsh store show lake", "volsh store show default --count"})
final class StoreShow implements Action<Outcome<Rows<StoreShow.Shown>>>, Tabular {
    @Parameters(paramLabel = "STORE", description = "Store to show.")
    private String name;

    @Option(names = "--count", description = "Also count its objects and their bytes, which lists all of them.")
    private boolean count;

    /** The number of objects and their total size. */
    record Objects(long number, long bytes) {}

    /** A store with its volumes and its space. */
    record Shown(StoreEntry store, List<String> volumes, OptionalLong free, Optional<Objects> objects) {}

    private static final Columns<Shown> COLUMNS = Columns.of(Shown.class)
            .text("name", shown -> shown.store().name())
            .text("url", shown -> shown.store().url().toString())
            .time("added", shown -> shown.store().builtIn() ? null : shown.store().created())
            .text("volumes", Shown::volumes)
            .bytes("free", shown -> shown.free().isPresent() ? shown.free().getAsLong() : null);
    private static final Columns<Shown> COUNTED = COLUMNS
            .number("objects", shown -> shown.objects().map(Objects::number).orElse(null))
            .bytes("stored", shown -> shown.objects().map(Objects::bytes).orElse(null));

    @Override
    public Columns<?> columns() {
        return count ? COUNTED : COLUMNS;
    }

    @Override
    public Outcome<Rows<Shown>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        StoreEntry store = volumes.stores().find(name);
        var users = new ArrayList<String>();
        for (var volume : volumes.readable()) {
            if (volume.stores().contains(name)) {
                users.add(volume.name());
            }
        }
        var missing = missing(volumes, store);
        missing.ifPresent(why -> session.warn(String.valueOf(why.getMessage())));
        Optional<Objects> objects = count && missing.isEmpty() ? Optional.of(objects(volumes, session))
                : Optional.empty();
        var shown = Rows.one(count ? COUNTED : COLUMNS, new Shown(store, users, volumes.stores().free(store), objects));
        return new Outcome<>(shown, missing.isPresent() ? ExitCode.UNAVAILABLE : ExitCode.OK);
    }

    /** Whether the directory exists; a bucket gets no request. */
    private static Optional<IOException> missing(Volumes volumes, StoreEntry store) {
        try {
            if (store.url().scheme() == StoreUrl.Scheme.FILE) {
                volumes.stores().reach(store.name(), () -> { });
            }
            return Optional.empty();
        } catch (IOException away) {
            return Optional.of(away);
        }
    }

    private Objects objects(Volumes volumes, Session session) throws IOException {
        long number = 0;
        long bytes = 0;
        try (var store = volumes.stores().open(name); var listed = store.list("");
                var progress = session.progressOfItems("count", -1)) {
            for (var it = listed.iterator(); it.hasNext(); ) {
                session.cancellation().check();
                BlockStore.Listed object = it.next();
                number++;
                bytes += object.size();
                progress.add(1);
            }
        }
        return new Objects(number, bytes);
    }
}
