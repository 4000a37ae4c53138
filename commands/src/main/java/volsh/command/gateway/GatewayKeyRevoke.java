package volsh.command.gateway;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.Home;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.gateway.AccessKey;
import volsh.gateway.AccessKeys;

@Command(name = "revoke", description = {"Revoke an access key: gateways that run refuse it from the next request on."})
@Examples({"volsh gateway key revoke VOLSH0123456789ABCDEF --dry-run",
        "volsh gateway key revoke VOLSH0123456789ABCDEF"})
final class GatewayKeyRevoke implements Mutation<Rows<KeyRow>> {
    @Parameters(paramLabel = "ACCESSKEY", description = "Access key, as 'volsh gateway key list' shows it.")
    private String id;

    @Override
    public Columns<?> columns() {
        return KeyRow.COLUMNS;
    }

    private AccessKey find(Session session) throws Exception {
        return new AccessKeys(session.service(Home.class).state()).list().stream().filter(key -> key.id().equals(id))
                .findFirst().orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND, "GW-0004",
                        "no access key '%s'".formatted(id)).hint("volsh gateway key list"));
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return Plan.of("revoke", "access key " + find(session).id(), "");
    }

    @Override
    public Rows<KeyRow> run(Session session) throws Exception {
        var key = find(session);
        new AccessKeys(session.service(Home.class).state()).revoke(id);
        session.say("revoked access key " + id);
        return Rows.one(KeyRow.COLUMNS, new KeyRow(key, session.clock().instant())).told();
    }
}
