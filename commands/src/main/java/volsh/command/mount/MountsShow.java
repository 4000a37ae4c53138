package volsh.command.mount;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Rows;
import volsh.mount.Mounts;
import volsh.volume.Refusal;

@Command(name = "show", description = "Show one mount and whether it answers.")
@Examples("volsh mounts show /mnt/data")
final class MountsShow implements Action<Rows<MountRow>> {
    @Parameters(paramLabel = "DIRECTORY", description = "Where it is mounted.")
    private Path directory;

    @Override
    public Rows<MountRow> run(Session session) throws Exception {
        var path = directory.toAbsolutePath().normalize();
        var status = session.service(Mounts.class).find(path).orElseThrow(() -> new Refusal(
                Refusal.Reason.NOT_FOUND, "nothing of volsh is mounted on %s".formatted(path), "volsh mounts list"));
        return Rows.one(MountRow.DETAILS, MountRow.of(status));
    }
}
