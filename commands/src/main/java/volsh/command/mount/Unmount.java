package volsh.command.mount;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.unit.Span;

@Command(name = "umount", description = {"Unmount: write out everything, take the mount away, and wait until its process has ended.",
        "After exit 0 everything written through the mount is committed, and stored unless a warning says what waits."})
@Examples({"volsh umount /mnt/data", "volsh umount --all"})
final class Unmount implements Mutation<Void> {
    @Parameters(arity = "0..*", paramLabel = "MOUNT", description = "Where it is mounted.")
    private List<Path> directories = new ArrayList<>();

    @Option(names = {"-a", "--all"}, description = "Every mount of this home.")
    private boolean all;

    @Option(names = {"-l", "--lazy"}, description = "Also while programs use it; they lose their files.")
    private boolean lazy;

    @Option(names = "--flush-timeout", paramLabel = "TIME", defaultValue = "60s", description = "How long writing out may take (default: ${DEFAULT-VALUE}).")
    private Span flushTimeout;

    private List<Path> targets(Mounts mounts) throws Exception {
        if (all == !directories.isEmpty()) {
            throw CommandFailure.of(ExitCode.USAGE, "MNT-0002", "name a directory, or --all").hint("volsh mounts list");
        }
        return all
                ? mounts.list().stream().map(status -> status.record().mountPoint()).toList()
                : directories.stream().map(path -> path.toAbsolutePath().normalize()).toList();
    }

    @Override
    public Columns<?> columns() {
        return Columns.NONE;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        for (var target : targets(session.service(Mounts.class))) {
            plan = plan.then("unmount", target.toString(), "");
        }
        return plan;
    }

    @Override
    public Void run(Session session) throws Exception {
        var mounts = session.service(Mounts.class);
        for (var target : targets(mounts)) {
            long left = mounts.stop(target, lazy, flushTimeout.duration());
            session.say("unmounted " + target);
            if (left > 0) {
                session.warn("%s wait in the journal on this host: the next mount of the volume here stores them".formatted(new ByteSize(left)));
            }
        }
        return null;
    }
}
