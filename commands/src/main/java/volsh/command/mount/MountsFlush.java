package volsh.command.mount;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.mount.Mounts;

@Command(name = "flush", description = "Write out all data that a mount still holds, so that it survives power loss.")
@Examples("volsh mounts flush /mnt/data")
final class MountsFlush implements Mutation<Void> {
    @Parameters(paramLabel = "MOUNT", description = "Mount point.")
    private Path directory;

    @Mixin
    private ProcessChoice process;

    private Path path() {
        return directory.toAbsolutePath().normalize();
    }

    @Override
    public Columns<?> columns() {
        return Columns.NONE;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        var stats = mounts.stats(mounts.require(path(), process.pid()));
        return Plan.of("flush", path().toString(), "%d bytes".formatted(stats.bufferedBytes()));
    }

    @Override
    public Void run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        mounts.flush(mounts.require(path(), process.pid()));
        session.say("flushed " + path());
        return null;
    }
}
