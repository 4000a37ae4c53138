package volsh.command.service;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.mount.MountSettings;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.MountSpec;
import volsh.service.MountWork;
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
    private UnitInstallation installation = new UnitInstallation();

    /** The mount; its volume exists if the service is for this machine. */
    private MountWork work(Session session) throws Exception {
        var plan = settings.plan(session);
        if (installation.isLive() && plan instanceof MountSpec volume) {
            session.service(Volumes.class).find(volume.source().volume());
        }
        return new MountWork(plan);
    }

    @Override
    public Columns<?> columns() {
        return ServiceRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        return installation.plan(session, work(session));
    }

    @Override
    public Rows<ServiceRow> run(Session session) throws Exception {
        installation.require();
        return installation.run(session, work(session));
    }
}
