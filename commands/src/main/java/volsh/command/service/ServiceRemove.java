package volsh.command.service;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;

@Command(name = "remove",
        description = {"Remove a service that 'service install' or 'service gateway' wrote.",
        "A mount or gateway that runs goes on until it is ended; --now ends it."})
@Examples({"volsh service remove /mnt/data --unit-dir ./units --dry-run",
        "volsh service remove volsh-mnt-data.service --unit-dir ./units"})
final class ServiceRemove implements Mutation<Void> {
    @Parameters(paramLabel = "DIRECTORY|UNIT", description = "Mount point, or the name of the unit.")
    private String service;

    @Option(names = "--now", description = "Also end the mount or gateway now.")
    private boolean now;

    @Mixin
    private UnitPlace place = new UnitPlace();

    @Override
    public Columns<?> columns() {
        return Columns.NONE;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var unit = place.units().find(UnitPlace.unit(service));
        var plan = now ? Plan.of("stop", unit.name(), "") : Plan.NOTHING;
        return plan.then("remove", place.units().path(unit.name()).toString(), unit.source());
    }

    @Override
    public Void run(Session session) throws Exception {
        place.require();
        if (now && !place.isLive()) {
            throw CommandFailure.usage("--now excludes --unit-dir and --root: it applies to this machine");
        }
        var unit = place.units().find(UnitPlace.unit(service));
        if (now) {
            place.tell("stop", unit.name());
        }
        place.units().remove(unit.name());
        place.tell("daemon-reload");
        session.say("removed " + place.units().path(unit.name()));
        return null;
    }
}
