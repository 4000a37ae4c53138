package volsh.command.service;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Rows;
import volsh.mount.Launcher;
import volsh.service.ServiceWork;
import volsh.service.SystemdUnits;
import volsh.service.Unit;

/** Writes and enables the unit of a service. */
final class UnitInstallation {
    @Mixin
    private UnitPlace place = new UnitPlace();

    @Option(names = "--now", description = "Also start the service now.")
    private boolean now;

    private static Unit unit(Session session, ServiceWork work) throws Exception {
        var home = Optional.ofNullable(session.environment().get("VOLSH_HOME")).filter(text -> !text.isBlank());
        try {
            return new Unit(work, session.service(Launcher.class).words(),
                    home.map(Path::of).map(Path::toAbsolutePath));
        } catch (IllegalArgumentException impossible) {
            throw CommandFailure.usage(impossible.getMessage());
        }
    }

    /** Whether the service is for this machine: then what it serves must exist. */
    boolean isLive() {
        return place.isLive();
    }

    Plan plan(Session session, ServiceWork work) throws Exception {
        var unit = unit(session, work);
        session.say(unit.text().stripTrailing());
        var units = place.units();
        var change = units.check(unit);
        var plan = change == SystemdUnits.Change.UNCHANGED ? Plan.NOTHING
                : Plan.of(change == SystemdUnits.Change.CREATED ? "write" : "rewrite",
                        units.path(unit.name()).toString(), "enabled");
        return now ? plan.then("start", unit.name(), "") : plan;
    }

    /** Fails if this machine should run it and has no systemd. */
    void require() {
        place.require();
        if (now && !place.isLive()) {
            throw CommandFailure.usage("--now excludes --unit-dir and --root: it applies to this machine");
        }
    }

    Rows<ServiceRow> run(Session session, ServiceWork work) throws Exception {
        var unit = unit(session, work);
        var units = place.units();
        var change = units.install(unit);
        place.tell("daemon-reload");
        if (now) {
            place.tell("start", unit.name());
        }
        session.say("%s %s".formatted(change.name().toLowerCase(Locale.ROOT), units.path(unit.name())));
        return Rows.one(ServiceRow.COLUMNS, ServiceRow.of(units.find(unit.name()), session));
    }
}
