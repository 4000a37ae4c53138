package volsh.command.mount;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.Problem;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.fuse.MountTable;
import volsh.mount.Detachment;
import volsh.mount.Launcher;
import volsh.mount.MountPlan;
import volsh.mount.MountSpec;
import volsh.mount.Mounts;
import volsh.mount.Readiness;
import volsh.mount.StartResult;
import volsh.mount.Transport;
import volsh.unit.Span;
import volsh.volume.Volumes;

@Command(name = "mount", description = {
        "Mount a volume, a directory of it, or a bucket, so that every program can use its files.",
        "A bucket needs no volume: one file is one object, which other programs read and write, too."
                + " docs/SEMANTICS.md says what its files can do.",
        "Returns when the mount answers; its own process continues in the background until it is unmounted."})
@Examples({"volsh mount training-data /mnt/data", "volsh mount training-data:/dataset /mnt/dataset "
        + "--read-only --no-atime", "volsh mount training-data /mnt/shared --uid 1000 --gid 100 --umask 027",
        "volsh mount training-data@v1 /mnt/v1",
        "volsh mount s3://bucket/prefix /mnt/raw --cache-dir /nvme/cache",
        "volsh mount training-data /mnt/past --at -2h"})
final class MountVolume implements Mutation<Rows<MountRow>> {
    @Mixin
    private MountSettings settings = new MountSettings();

    @Option(names = "--wait-ready", paramLabel = "TIME", defaultValue = "20s",
            description = "Wait at most this long for the mount to answer (default: ${DEFAULT-VALUE}).")
    private Span waitReady;

    @Option(names = "--ensure", description = {
            "Succeed if the volume is already mounted there with the same options; exit 4 if something else is.",
            "For job prologues: any number may run at once."})
    private boolean ensure;

    @Option(names = {"-f", "--foreground"},
            description = "Serve the mount in this process until it is unmounted or interrupted.")
    private boolean foreground;

    @Option(names = "--detached", hidden = true,
            description = "Leave the terminal's session: used for the mount's own process.")
    private boolean detached;

    @Option(names = "--result", paramLabel = "FILE", hidden = true,
            description = "Write the outcome of the start to FILE: used for the mount's own process.")
    private @Nullable Path result;

    @Override
    public Columns<?> columns() {
        return MountRow.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var spec = settings.plan(session);
        requireVolume(session, spec);
        if (ensure && there(session.service(Mounts.class), spec).isPresent()) {
            return Plan.NOTHING;
        }
        return Plan.of("mount", spec.origin().toString(), "on " + spec.mountPoint());
    }

    @Override
    public @Nullable Rows<MountRow> run(Session session) throws Exception {
        try {
            return mount(session);
        } catch (Exception | Error failed) {
            if (result != null) {
                report(Diagnosis.of(failed), result);
            }
            throw failed;
        }
    }

    private static void report(Problem problem, Path result) {
        try {
            new StartResult.Failed(Diagnosis.reason(problem.exit()), problem.message(), problem.hints()).write(result);
        } catch (IOException unwritten) {
            // the log has the failure, and the exit code reports it
        }
    }

    private @Nullable Rows<MountRow> mount(Session session) throws Exception {
        var spec = settings.plan(session);
        requireVolume(session, spec);   // before any message about the mount
        var mounts = session.service(Mounts.class);
        if (spec.transport() == Transport.AUTO && spec.transport().resolved() == Transport.JNR) {
            session.say("fusermount3 is not installed; mounting through libfuse 2 (--transport jnr)");
        }
        warnOfMemory(session, spec);
        if (!detached) {   // else the process that started this one has warned
            warnOfHidden(session, spec);
        }
        if (foreground) {
            serve(session, mounts, spec);
            return null;
        }
        if (!ensure) {
            return start(session, mounts, spec);
        }
        try (var _ = OneAtATime.at(session.service(Home.class), spec.mountPoint(), session.cancellation())) {
            var found = there(mounts, spec);
            if (found.isEmpty()) {
                return start(session, mounts, spec);
            }
            session.say("unchanged: %s on %s".formatted(spec.origin(), spec.mountPoint()));
            return Rows.one(MountRow.COLUMNS, MountRow.of(found.get(), mounts)).told();
        }
    }

    private static void requireVolume(Session session, MountPlan spec) throws Exception {
        if (spec instanceof MountSpec volume) {
            session.service(Volumes.class).find(volume.source().volume());
        }
    }

    private static void warnOfMemory(Session session, MountPlan spec) throws IOException {
        for (var directory : spec.caching().directories()) {
            if (MountTable.isInMemory(directory)) {
                session.warn(("cache directory %s is in memory (tmpfs): it takes memory from programs, "
                        + "and a restart empties it").formatted(directory));
            }
        }
    }

    /** Files in the directory cannot be reached while the volume is mounted over them. */
    private static void warnOfHidden(Session session, MountPlan spec) throws IOException {
        if (MountTable.at(spec.mountPoint()).isPresent() || !Files.isDirectory(spec.mountPoint())) {
            return;
        }
        try (var files = Files.newDirectoryStream(spec.mountPoint())) {
            if (files.iterator().hasNext()) {
                session.warn("%s is not empty; the mount of %s hides its files until it is unmounted"
                        .formatted(spec.mountPoint(), spec.origin()));
            }
        } catch (AccessDeniedException unknown) {
            session.detail("cannot list %s".formatted(spec.mountPoint()));
        }
    }

    /**
     * The same mount, if it is there and answers.
     * @throws Refusal CONFLICT if the volume is mounted there in another way
     */
    private static Optional<Mounts.Status> there(Mounts mounts, MountPlan spec) throws IOException {
        var found = mounts.find(spec.mountPoint()).filter(Mounts.Status::serves);
        if (found.isPresent() && !found.get().record().source().equals(spec.origin())) {
            throw new Refusal(Refusal.Reason.CONFLICT, "cannot mount on %2$s: %1$s is mounted there, not %3$s"
                    .formatted(
                    found.get().record().source(), spec.mountPoint(), spec.origin()),
                    "volsh umount " + ShellWord.of(spec.mountPoint()));
        }
        if (found.isPresent() && !found.get().record().options().equals(spec.options())) {
            throw new Refusal(Refusal.Reason.CONFLICT, "%s is mounted with other options".formatted(spec.mountPoint()),
                    "volsh umount " + ShellWord.of(spec.mountPoint()))
                    .detail("mounted: " + found.get().record().options())
                    .detail("wanted:  " + spec.options());
        }
        return found;
    }

    private Rows<MountRow> start(Session session, Mounts mounts, MountPlan spec) throws Exception {
        var record = mounts.start(spec, session.service(Launcher.class).words(), waitReady.duration());
        session.say("mounted %s on %s".formatted(spec.origin(), spec.mountPoint()));
        return Rows.one(MountRow.COLUMNS, MountRow.of(new Mounts.Status(record, Mounts.State.OK), mounts)).told();
    }

    private void serve(Session session, Mounts mounts, MountPlan spec) throws Exception {
        if (detached) {
            Detachment.leaveSession();
        }
        try (var service = mounts.serve(spec)) {
            var done = "mounted %s on %s".formatted(spec.origin(), spec.mountPoint());
            session.say(done);
            Readiness.tell(session.environment(), done);
            if (result != null) {
                new StartResult.Ready().write(result);
            }
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
