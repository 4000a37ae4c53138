package volsh.command.gateway;

import picocli.CommandLine.Command;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.gateway.GatewayRecords.Running;

@Command(name = "list",
        description = "List the gateways of this home: those that run, and those that ended without being stopped.")
@Examples({"volsh gateway list", "volsh gateway list -o json"})
final class GatewayList implements Action<Rows<Running>>, Listing {
    @Override
    public Columns<?> columns() {
        return GatewayViews.COLUMNS;
    }

    @Override
    public Rows<Running> run(Session session) throws Exception {
        return Rows.of(GatewayViews.COLUMNS, GatewayViews.all(session));
    }
}
