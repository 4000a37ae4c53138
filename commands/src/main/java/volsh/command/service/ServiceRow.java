package volsh.command.service;

import java.nio.file.Path;
import java.util.Locale;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.gateway.GatewayRecords;
import volsh.mount.Mounts;
import volsh.service.SystemdUnits;

/** A service as lists show it; {@code state} is that of its mount or gateway. */
record ServiceRow(SystemdUnits.Installed unit, String state) {
    static final Columns<ServiceRow> COLUMNS = Columns.of(ServiceRow.class)
            .text("unit", row -> row.unit().name())
            .text("source", row -> row.unit().source())
            .text("mountPoint", row -> row.unit().mountPoint().map(Path::toString).orElse(""))
            .text("listen", row -> row.unit().listen().orElse(""))
            .text("enabled", row -> row.unit().enabled())
            .text("state", ServiceRow::state);

    static ServiceRow of(SystemdUnits.Installed unit, Session session) throws Exception {
        return new ServiceRow(unit, unit.listen().isPresent() ? gateway(unit.listen().get(), session)
                : mount(unit.mountPoint().orElseThrow(), session.service(Mounts.class)));
    }

    private static String mount(Path mountPoint, Mounts mounts) throws Exception {
        return mounts.find(mountPoint).map(status -> status.state().toString().toLowerCase(Locale.ROOT))
                .orElse("not mounted");
    }

    private static String gateway(String listen, Session session) throws Exception {
        return new GatewayRecords(session.service(Home.class).state()).list().stream()
                .anyMatch(running -> running.url().endsWith("://" + listen)) ? "running" : "not running";
    }
}
