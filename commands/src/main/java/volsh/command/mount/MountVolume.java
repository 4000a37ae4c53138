package volsh.command.mount;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Rows;
import volsh.fs.Owner;
import volsh.mount.Detachment;
import volsh.mount.Launcher;
import volsh.mount.MountSpec;
import volsh.mount.Mounts;
import volsh.mount.Transport;
import volsh.unit.Span;
import volsh.volume.VolumePath;
import volsh.volume.Volumes;

@Command(name = "mount", description = {"Mount a volume, or a directory of it, so that every program can use its files.",
        "Returns when the mount answers; its own process goes on in the background until it is unmounted."})
@Examples({"volsh mount training-data /mnt/data", "volsh mount training-data:/dataset /mnt/dataset --read-only"})
final class MountVolume implements Mutation<Rows<MountRow>> {
    @Parameters(index = "0", paramLabel = "VOLUME[:PATH]", description = "The volume, or a directory in it.")
    private String source;

    @Parameters(index = "1", paramLabel = "DIRECTORY", description = "An existing directory, which the mount covers.")
    private Path directory;

    @Option(names = {"-r", "--read-only", "--ro"}, description = "Refuse every change.")
    private boolean readOnly;

    @Option(names = "--allow-other", negatable = true, description = {"Let other users in, as file permissions allow (default: yes for root).",
            "Other users than root may say so only if /etc/fuse.conf has user_allow_other."})
    private Boolean allowOther;

    @Option(names = "--direct-io", description = "Do not use the kernel's page cache.")
    private boolean directIo;

    @Option(names = "--writeback-cache", description = "Let the kernel gather small writes. Only while nothing else writes to the volume.")
    private boolean writebackCache;

    @Option(names = "--transport", paramLabel = "TRANSPORT", defaultValue = "auto",
            description = {"How requests reach the mount (default: ${DEFAULT-VALUE}). kernel: the FUSE protocol on /dev/fuse, as root or through fusermount3;",
                "jnr: libfuse 2, where that is not possible; slower, and without some calls; auto: kernel if possible, else jnr."})
    private Transport transport;

    @Option(names = "--attribute-timeout", paramLabel = "TIME",
            description = "How long the kernel may answer stat by itself (default: 1s; with the transport jnr 0s).")
    private Span attributeTimeout;

    @Option(names = "--entry-timeout", paramLabel = "TIME", defaultValue = "1s",
            description = "How long the kernel may remember names (default: ${DEFAULT-VALUE}).")
    private Span entryTimeout;

    @Option(names = "--wait-ready", paramLabel = "TIME", defaultValue = "20s", description = "How long the mount may take to answer (default: ${DEFAULT-VALUE}).")
    private Span waitReady;

    @Option(names = {"-f", "--foreground"}, description = "Serve the mount in this process until it is unmounted or interrupted.")
    private boolean foreground;

    @Option(names = "--detached", hidden = true, description = "Leave the terminal's session: used for the mount's own process.")
    private boolean detached;

    @Override
    public Plan plan(Session session) throws Exception {
        var spec = spec(session);
        session.service(Volumes.class).find(spec.source().volume());
        return Plan.of("mount", spec.source().toString(), "on " + spec.mountPoint());
    }

    private MountSpec spec(Session session) throws Exception {
        var place = source.contains(":") ? VolumePath.of(source) : new VolumePath(source, "/");
        var chosen = transport.resolved();
        boolean others = allowOther == null ? session.service(Owner.class).uid() == 0 : allowOther;
        return new MountSpec(
                place, directory.toAbsolutePath().normalize(), readOnly, others, directIo, writebackCache,
                attributeTimeout == null ? chosen.attributeTimeout() : attributeTimeout.duration(), entryTimeout.duration(), chosen);
    }

    @Override
    public Rows<MountRow> run(Session session) throws Exception {
        var spec = spec(session);
        var mounts = session.service(Mounts.class);
        if (transport == Transport.AUTO && spec.transport() == Transport.JNR) {
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
            session.say("mounted %s on %s".formatted(spec.source(), spec.mountPoint()));
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
