package volsh.command.mount;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
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
import volsh.unit.ByteSize;
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

    @Option(names = "--allow-other", negatable = true, defaultValue = "true", fallbackValue = "true",
            description = "Let other users in, as file permissions allow (default: yes).")
    private boolean allowOther;

    @Option(names = "--direct-io", description = "Do not use the kernel's page cache.")
    private boolean directIo;

    @Option(names = "--writeback-cache", description = "Let the kernel gather small writes. Only while nothing else writes to the volume.")
    private boolean writebackCache;

    @Option(names = "--attribute-timeout", paramLabel = "TIME", defaultValue = "1s",
            description = "How long the kernel may answer stat by itself (default: ${DEFAULT-VALUE}).")
    private Span attributeTimeout;

    @Option(names = "--entry-timeout", paramLabel = "TIME", defaultValue = "1s",
            description = "How long the kernel may remember names (default: ${DEFAULT-VALUE}).")
    private Span entryTimeout;

    @Option(names = "--cache-memory", paramLabel = "SIZE", defaultValue = "256MiB",
            description = "Memory for data read lately, and for reading ahead; 0 for none (default: ${DEFAULT-VALUE}).")
    private ByteSize cacheMemory;

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
        var spec = spec();
        session.service(Volumes.class).find(spec.source().volume());
        return Plan.of("mount", spec.source().toString(), "on " + spec.mountPoint());
    }

    private MountSpec spec() {
        var place = source.contains(":") ? VolumePath.of(source) : new VolumePath(source, "/");
        return new MountSpec(
                place, directory.toAbsolutePath().normalize(), readOnly, allowOther, directIo, writebackCache,
                attributeTimeout.duration(), entryTimeout.duration(), cacheMemory);
    }

    @Override
    public Rows<MountRow> run(Session session) throws Exception {
        var spec = spec();
        var mounts = session.service(Mounts.class);
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
