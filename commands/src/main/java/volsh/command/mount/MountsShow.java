package volsh.command.mount;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.MountStats;
import volsh.mount.Mounts;
import volsh.volume.Refusal;

@Command(name = "show", description = {"Show one mount and whether it answers.",
        "ATRISK is what would be lost with this host now, and for how long it has been so; in detail: bytes that are only in memory (buffered) or only in its journal (staged),"
                + " and commits that were not shipped to the store (unshipped), with the time of the oldest."})
@Examples("volsh mounts show /mnt/data")
final class MountsShow implements Action<Rows<MountDetails>>, Tabular {
    @Parameters(paramLabel = "MOUNT", description = "Where it is mounted.")
    private Path directory;

    @Override
    public Columns<?> columns() {
        return MountDetails.COLUMNS;
    }

    @Override
    public Rows<MountDetails> run(Session session) throws Exception {
        var path = directory.toAbsolutePath().normalize();
        var mounts = session.service(Mounts.class);
        var status = mounts.find(path).orElseThrow(() -> new Refusal(
                Refusal.Reason.NOT_FOUND, "nothing of volsh is mounted on %s".formatted(path), "volsh mounts list"));
        var stats = status.state() == Mounts.State.OK ? mounts.stats(path) : MountStats.NONE;
        return Rows.one(MountDetails.COLUMNS, new MountDetails(MountRow.of(status), stats, mounts.socket(path), session.clock().instant()));
    }
}
