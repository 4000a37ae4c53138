package volsh.command.mount;

import picocli.CommandLine.Command;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;

@Command(name = "list", description = "List the mounts of this machine and whether they answer.")
@Examples({"volsh mounts list", "volsh mounts list -o json"})
final class MountsList implements Action<Rows<MountRow>>, Tabular {
    @Override
    public Columns<?> columns() {
        return MountRow.COLUMNS;
    }

    @Override
    public Rows<MountRow> run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        return Rows.of(MountRow.COLUMNS, mounts.list().stream().map(status -> MountRow.of(status, mounts)).toList());
    }
}
