package volsh.command.gateway;

import java.util.List;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.gateway.GatewayCounts;
import volsh.gateway.GatewayRecords;
import volsh.gateway.GatewayRecords.Running;

/** Gateways as they are shown, and how they are named: by process number, port or URL. */
final class GatewayViews {
    static final Columns<Running> COLUMNS = Columns.of(Running.class)
            .text("url", Running::url)
            .text("volumes", running -> String.join(",", running.volumes()))
            .text("state", running -> running.alive() ? "running" : "dead")
            .text("access", running -> running.readOnly() ? "read" : "write")
            .number("requests", Running::requests)
            .number("refused", Running::refused)
            .number("active", Running::active)
            .bytes("received", Running::receivedBytes)
            .bytes("sent", Running::sentBytes)
            .time("started", Running::started)
            .text("lastError", running -> running.lastFailure().map(GatewayCounts.Failure::message).orElse(""))
            .time("lastErrorTime", running -> running.lastFailure().map(GatewayCounts.Failure::time).orElse(null))
            .wide()
            .number("pid", Running::pid).wide();

    private GatewayViews() {}

    static List<Running> all(Session session) throws Exception {
        return new GatewayRecords(session.service(Home.class).state()).all();
    }

    static Running find(Session session, String name) throws Exception {
        var all = all(session);
        return all.stream()
                .filter(each -> name.equals(Long.toString(each.pid())) || each.url().equals(name)
                        || each.url().endsWith(":" + name))
                .findFirst().orElseThrow(() -> CommandFailure.of(ExitCode.NOT_FOUND, "GW-0002",
                        "no gateway '%s' runs in this home".formatted(name)).hint("volsh gateway list"));
    }
}
