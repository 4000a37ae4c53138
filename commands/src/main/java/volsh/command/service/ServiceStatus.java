package volsh.command.service;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.service.SystemdUnits;

@Command(name = "status", description =
        "Show the services that mount and serve volumes, and whether their mounts and gateways run.")
@Examples({"volsh service status", "volsh service status -o json"})
final class ServiceStatus implements Action<Rows<ServiceRow>>, Listing {
    @Parameters(paramLabel = "DIRECTORY|UNIT", arity = "0..*",
            description = "Mount points, or names of units (default: all).")
    private List<String> services = List.of();

    @Mixin
    private UnitPlace place = new UnitPlace();

    @Override
    public Columns<?> columns() {
        return ServiceRow.COLUMNS;
    }

    @Override
    public Rows<ServiceRow> run(Session session) throws Exception {
        var rows = new ArrayList<ServiceRow>();
        for (var unit : wanted(place.units())) {
            rows.add(ServiceRow.of(unit, session));
        }
        return Rows.of(ServiceRow.COLUMNS, rows);
    }

    private List<SystemdUnits.Installed> wanted(SystemdUnits units) throws Exception {
        if (services.isEmpty()) {
            return units.list();
        }
        var found = new ArrayList<SystemdUnits.Installed>();
        for (var service : services) {
            found.add(units.find(UnitPlace.unit(service)));
        }
        return found;
    }
}
