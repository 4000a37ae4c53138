package volsh.command.volume;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.ship.Shipping;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

@Command(name = "ship", description = {"Ship the metadata of a volume to its store now.",
        "Mounts ship every ten seconds, and commands that change a volume when they end. When this returns, everything"
                + " committed before survives the loss of this machine: volsh volume attach"})
@Examples("volsh volume ship training-data")
final class VolumeShip implements Mutation<Rows<VolumeStatus>> {
    private static final Columns<VolumeStatus> COLUMNS = Columns.of(VolumeStatus.class)
            .text("name", status -> status.spec().name())
            .number("shipped", status -> status.shipping().map(Shipping.Status::shipped).orElse(null))
            .number("unshipped", status -> status.shipping().map(Shipping.Status::unshipped).orElse(null))
            .time("lastShipped", status -> status.shipping().flatMap(Shipping.Status::time).orElse(null));

    @Parameters(paramLabel = "VOLUME", description = "Volume to ship.")
    private String name;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        long changes = session.service(Volumes.class).attaching().checkShip(name).shipping()
                .map(Shipping.Status::unshipped).orElse(0L);
        return changes == 0 ? Plan.NOTHING : Plan.of("ship", VolumeViews.quoted(name), changes + " changes");
    }

    @Override
    public Rows<VolumeStatus> run(Session session) throws Exception {
        VolumeStatus status = session.service(Volumes.class).attaching().ship(name);
        session.say("shipped " + VolumeViews.quoted(name));
        return Rows.one(COLUMNS, status);
    }
}
