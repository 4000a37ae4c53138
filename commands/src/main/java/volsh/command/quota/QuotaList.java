package volsh.command.quota;

import java.util.ArrayList;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.quota.Account;
import volsh.volume.Volumes;

@Command(name = "list", description = "List the quotas of a volume and their usage.")
@Examples({"volsh quota list training-data", "volsh quota list training-data -o json"})
final class QuotaList implements Action<Rows<QuotaRow>>, Listing {
    @Parameters(paramLabel = "VOLUME", description = "Volume to list.")
    private String name;

    @Override
    public Columns<?> columns() {
        return QuotaRow.COLUMNS;
    }

    @Override
    public Rows<QuotaRow> run(Session session) throws Exception {
        try (var open = session.service(Volumes.class).open(name, Access.NAMES, "quota")) {
            var rows = new ArrayList<QuotaRow>();
            for (var status : open.quotas().list()) {
                boolean part = status.rule().account().kind() == Account.Kind.PROJECT;
                rows.add(QuotaRow.of(!part ? name : name + ":" + open.quotas().path(status.rule().directory()),
                        status));
            }
            return Rows.of(QuotaRow.COLUMNS, rows);
        }
    }
}
