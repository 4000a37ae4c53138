package volsh.command.mount;

import picocli.CommandLine.Command;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Mounts;

@Command(name = "list", description = "List the mounts of this machine and whether they answer.")
@Examples({"volsh mounts list", "volsh mounts list -o json"})
final class MountsList implements Action<Outcome<Rows<MountRow>>>, Listing {
    @Override
    public Columns<?> columns() {
        return MountRow.COLUMNS;
    }

    @Override
    public Outcome<Rows<MountRow>> run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var damaged = mounts.damagedRecords();
        damaged.forEach(record -> session.warn(("the record of a mount is damaged: %s; restore it, "
                + "or move it away after that mount has ended").formatted(record)));
        var rows = Rows.of(MountRow.COLUMNS,
                mounts.list().stream().map(status -> MountRow.of(status, mounts)).toList());
        return new Outcome<>(rows, damaged.isEmpty() ? ExitCode.OK : ExitCode.INTEGRITY);
    }
}
