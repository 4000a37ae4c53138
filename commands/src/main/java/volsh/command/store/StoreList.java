package volsh.command.store;

import picocli.CommandLine.Command;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.StoreEntry;
import volsh.volume.Volumes;

@Command(name = "list", description = "List the stores; 'default' always exists.")
@Examples({"volsh store list", "volsh store list -o name"})
final class StoreList implements Action<Rows<StoreEntry>>, Tabular {
    static final Columns<StoreEntry> COLUMNS = Columns.of(StoreEntry.class)
            .text("name", StoreEntry::name)
            .text("url", store -> store.url().toString())
            .text("pools", store -> store.pools().isEmpty() ? null : String.join(",", store.pools())).wide()
            .time("added", store -> store.builtIn() ? null : store.created());

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Rows<StoreEntry> run(Session session) throws Exception {
        return Rows.of(COLUMNS, session.service(Volumes.class).stores());
    }
}
