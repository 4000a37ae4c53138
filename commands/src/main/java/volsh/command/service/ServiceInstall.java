package volsh.command.service;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.mount.MountSettings;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Launcher;
import volsh.mount.MountSpec;
import volsh.mount.Mounts;
import volsh.service.SystemdUnits;
import volsh.service.Unit;
import volsh.volume.Volumes;

@Command(name = "install",
        description = {"Mount a volume or a bucket whenever the machine starts: write a systemd service and enable it.",
        "May be repeated: an existing service gets the new options with its next start. --dry-run shows the unit."})
@Examples({"volsh service install training-data /mnt/data --read-only --dry-run",
        "volsh service install training-data:/dataset /mnt/dataset --unit-dir ./units"})
final class ServiceInstall implements Mutation<Rows<ServiceRow>> {
    @Mixin
    private MountSettings settings = new MountSettings();

    @Mixin
    private UnitPlace place = new UnitPlace();

    @Option(names = "--now", description = "Also mount the volume now.")
    private boolean now;

    private Unit unit(Session session) throws Exception {
        var home = Optional.ofNullable(session.environment().get("VOLSH_HOME")).filter(text -> !text.isBlank());
        try {
            return new Unit(settings.plan(session), session.service(Launcher.class).words(),
                    home.map(Path::of).map(Path::toAbsolutePath));
        } catch (IllegalArgumentException impossible) {
            throw CommandFailure.usage(impossible.getMessage());
        }
    }

    private void require(Session session, Unit unit) throws Exception {
        if (place.isLive() && unit.spec() instanceof MountSpec volume) {
            session.service(Volumes.class).find(volume.source().volume());
        }
    }

    @Override
    public Columns<?> columns() {
        return ServiceRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var unit = unit(session);
        require(session, unit);
        session.say(unit.text().stripTrailing());
        var units = place.units();
        var change = units.check(unit);
        var plan = change == SystemdUnits.Change.UNCHANGED ? Plan.NOTHING
                : Plan.of(change == SystemdUnits.Change.CREATED ? "write" : "rewrite",
                        units.path(unit.name()).toString(), "enabled");
        return now ? plan.then("start", unit.name(), "") : plan;
    }

    @Override
    public Rows<ServiceRow> run(Session session) throws Exception {
        place.require();
        if (now && !place.isLive()) {
            throw CommandFailure.usage("--now excludes --unit-dir and --root: it applies to this machine");
        }
        var unit = unit(session);
        require(session, unit);
        var units = place.units();
        var change = units.install(unit);
        place.tell("daemon-reload");
        if (now) {
            place.tell("start", unit.name());
        }
        session.say("%s %s".formatted(change.name().toLowerCase(Locale.ROOT), units.path(unit.name())));
        return Rows.one(ServiceRow.COLUMNS,
                ServiceRow.of(units.find(unit.spec().mountPoint()), session.service(Mounts.class)));
    }
}
