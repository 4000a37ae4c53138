package volsh.command.mount;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.mount.Detachment;
import volsh.mount.Launcher;
import volsh.mount.MountSpec;
import volsh.mount.Mounts;
import volsh.mount.Readiness;
import volsh.mount.Transport;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "mount", description = {"Mount a volume, or a directory of it, so that every program can use its files.",
        "Returns when the mount answers; its own process goes on in the background until it is unmounted."})
@Examples({"volsh mount training-data /mnt/data", "volsh mount training-data:/dataset /mnt/dataset --read-only --no-atime",
        "volsh mount training-data /mnt/shared --uid 1000 --gid 100 --umask 027"})
final class MountVolume implements Mutation<Rows<MountRow>> {
    @Mixin
    private MountSettings settings = new MountSettings();

    @Option(names = "--wait-ready", paramLabel = "TIME", defaultValue = "20s", description = "How long the mount may take to answer (default: ${DEFAULT-VALUE}).")
    private Span waitReady;

    @Option(names = {"-f", "--foreground"}, description = "Serve the mount in this process until it is unmounted or interrupted.")
    private boolean foreground;

    @Option(names = "--detached", hidden = true, description = "Leave the terminal's session: used for the mount's own process.")
    private boolean detached;

    @Override
    public Columns<?> columns() {
        return MountRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var spec = settings.spec(session);
        session.service(Volumes.class).find(spec.source().volume());
        return Plan.of("mount", spec.source().toString(), "on " + spec.mountPoint());
    }

    @Override
    public Rows<MountRow> run(Session session) throws Exception {
        var spec = settings.spec(session);
        var mounts = session.service(Mounts.class);
        if (spec.transport() == Transport.AUTO && spec.transport().resolved() == Transport.JNR) {
            session.say("fusermount3 is not installed: mounting through libfuse 2 (--transport jnr)");
        }
        if (foreground) {
            serve(session, mounts, spec);
            return null;
        }
        var record = mounts.start(spec, session.service(Launcher.class).words(), waitReady.duration());
        session.say("mounted %s on %s".formatted(spec.source(), spec.mountPoint()));
        return Rows.one(MountRow.COLUMNS, MountRow.of(new Mounts.Status(record, Mounts.State.OK)));
    }

    private void serve(Session session, Mounts mounts, MountSpec spec) throws Exception {
        if (detached) {
            Detachment.leaveSession();
        }
        try (var service = mounts.serve(spec)) {
            var done = "mounted %s on %s".formatted(spec.source(), spec.mountPoint());
            session.say(done);
            Readiness.tell(session.environment(), done);
            session.cancellation().onRequest(() -> end(service));
            service.serve();
        }
    }

    private static void end(AutoCloseable service) {
        try {
            service.close();
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
