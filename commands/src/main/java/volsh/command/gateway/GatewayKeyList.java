package volsh.command.gateway;

import picocli.CommandLine.Command;
import volsh.catalog.Home;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.gateway.AccessKeys;

@Command(name = "list", description = "List the access keys of the gateways of this home, without their secrets.")
@Examples({"volsh gateway key list", "volsh gateway key list -o json"})
final class GatewayKeyList implements Action<Rows<KeyRow>>, Tabular {
    @Override
    public Columns<?> columns() {
        return KeyRow.COLUMNS;
    }

    @Override
    public Rows<KeyRow> run(Session session) throws Exception {
        var now = session.clock().instant();
        return Rows.of(KeyRow.COLUMNS, new AccessKeys(session.service(Home.class).state()).list().stream()
                .map(key -> new KeyRow(key, now)).toList());
    }
}
