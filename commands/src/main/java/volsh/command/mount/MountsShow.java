package volsh.command.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.DeadMount;
import volsh.mount.MountStats;
import volsh.mount.MountTrouble;
import volsh.mount.Mounts;

@Command(name = "show", description = {"Show one mount and whether it answers.",
        "ATRISK is what losing this host now would cost, and for how long it has been at risk. BUFFERED counts bytes"
                + " only in memory, STAGED bytes only in the journal, UNSHIPPED commits not yet in the store; the"
                + " SINCE columns show the time of the oldest. For a mount whose process is gone, ATRISK is what"
                + " the journal holds and the store does not.",
        "DOING shows the jobs of its cache, and on a bucket the progress of renamed directories.",
        "TROUBLE shows the problem and NEXT the command to run. The exit code is that of 'volsh status': 0 for a"
                + " healthy mount."})
@Examples("volsh mounts show /mnt/data")
final class MountsShow implements Action<Outcome<Rows<MountDetails>>>, Tabular {
    @Parameters(paramLabel = "MOUNT", description = "Mount point.")
    private Path directory;

    @Mixin
    private ProcessChoice process;

    @Override
    public Columns<?> columns() {
        return MountDetails.COLUMNS;
    }

    @Override
    public Outcome<Rows<MountDetails>> run(Session session) throws Exception {
        var path = directory.toAbsolutePath().normalize();
        var mounts = session.service(Mounts.class);
        var record = mounts.require(path, process.pid());
        var status = mounts.look(record);
        boolean answers = status.state() == Mounts.State.OK || status.state() == Mounts.State.DETACHED;
        var row = MountRow.of(status, mounts);
        var stats = answers ? mounts.stats(record) : row.dead().flatMap(DeadMount::stats).orElse(MountStats.NONE);
        var details = new MountDetails(row, stats, doing(mounts, status), mounts.socket(record),
                session.clock().instant());
        return new Outcome<>(Rows.one(MountDetails.COLUMNS, details), exit(status, answers || status.serves()));
    }

    /** The jobs of its cache, and the directories of a bucket that are being renamed. */
    private static String doing(Mounts mounts, Mounts.Status status) throws IOException {
        return status.state() != Mounts.State.OK ? "" : mounts.jobs(status.record().mountPoint()).stream()
                .map(Mounts.RunningJob::about).collect(Collectors.joining("; "));
    }

    private static ExitCode exit(Mounts.Status status, boolean answers) {
        return !answers ? ExitCode.UNAVAILABLE
                : status.troubles().isEmpty() ? ExitCode.OK
                : ExitCode.of(MountTrouble.worst(status.troubles()).kind().exit());
    }
}
