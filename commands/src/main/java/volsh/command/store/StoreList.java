package volsh.command.store;

import java.util.ArrayList;
import picocli.CommandLine.Command;
import volsh.catalog.Refusal;
import volsh.catalog.StoreEntry;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "list", description = "List the stores; 'default' always exists.")
@Examples({"volsh store list", "volsh store list -o name"})
final class StoreList implements Action<Outcome<Rows<StoreEntry>>>, Listing {
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
    public Outcome<Rows<StoreEntry>> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var rows = new ArrayList<StoreEntry>();
        var exit = ExitCode.OK;
        for (var name : volumes.stores().names()) {
            try {
                rows.add(volumes.stores().find(name));
            } catch (Refusal refusal) {
                if (refusal.reason() == Refusal.Reason.DAMAGED) {
                    session.warn(refusal.getMessage());
                    exit = ExitCode.INTEGRITY;
                } else if (refusal.reason() != Refusal.Reason.NOT_FOUND) {   // it was removed in the meantime
                    throw refusal;
                }
            }
        }
        return new Outcome<>(Rows.of(COLUMNS, rows), exit);
    }
}
