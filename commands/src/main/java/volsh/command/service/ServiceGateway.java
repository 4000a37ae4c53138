package volsh.command.service;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.gateway.GatewayOptions;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.Volumes;

@Command(name = "gateway",
        description = {
        "Serve volumes as S3 buckets whenever the machine starts: write a systemd service and enable it.",
        "There is one gateway for each port. May be repeated: an existing service gets the new options with its next"
                + " start. --dry-run shows the unit."})
@Examples({"volsh service gateway training-data --listen 9000 --dry-run",
        "volsh service gateway training-data --listen 9000 --read-only --unit-dir ./units"})
final class ServiceGateway implements Mutation<Rows<ServiceRow>> {
    @Mixin
    private GatewayOptions options = new GatewayOptions();

    @Mixin
    private UnitInstallation installation = new UnitInstallation();

    private void require(Session session) throws Exception {
        if (installation.isLive()) {
            options.require(session.service(Volumes.class));
        }
    }

    @Override
    public Columns<?> columns() {
        return ServiceRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        require(session);
        return installation.plan(session, options.service());
    }

    @Override
    public Rows<ServiceRow> run(Session session) throws Exception {
        require(session);
        installation.require();
        return installation.run(session, options.service());
    }
}
