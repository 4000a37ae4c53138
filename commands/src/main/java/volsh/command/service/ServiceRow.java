package volsh.command.service;

import java.io.IOException;
import java.util.Locale;
import volsh.command.render.Columns;
import volsh.mount.Mounts;
import volsh.service.SystemdUnits;

/** A service as lists show it; {@code state} is the mount's. */
record ServiceRow(String unit, String source, String mountPoint, boolean enabled, String state) {
    static final Columns<ServiceRow> COLUMNS = Columns.of(ServiceRow.class)
            .text("unit", ServiceRow::unit)
            .text("source", ServiceRow::source)
            .text("mountPoint", ServiceRow::mountPoint)
            .text("enabled", ServiceRow::enabled)
            .text("state", ServiceRow::state);

    static ServiceRow of(SystemdUnits.Installed unit, Mounts mounts) throws IOException {
        var state = mounts.find(unit.mountPoint()).map(status -> status.state().toString().toLowerCase(Locale.ROOT))
                .orElse("not mounted");
        return new ServiceRow(unit.name(), unit.source(), unit.mountPoint().toString(), unit.enabled(), state);
    }
}
