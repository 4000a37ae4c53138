package volsh.command.volume;

import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumeSpec;
import volsh.command.Cancellation;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.fs.ShellWord;
import volsh.lifecycle.DestructionWatcher;
import volsh.mount.Mounts;
import volsh.unit.ByteSize;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

@Command(name = "destroy", description = {"Delete a volume with all its data.",
        "This cannot be undone. After an interruption, run it again to continue. Also evicts it from cache"
                + " directories of this machine; on other machines: 'volsh cache evict DIRECTORY'."})
@Examples({"volsh volume destroy training-data --dry-run",
        "volsh volume destroy training-data --confirm training-data"})
final class VolumeDestroy implements Mutation<VolumeDestroy.Destroyed> {
    @Parameters(paramLabel = "VOLUME", description = "Volume to delete.")
    private String name;

    @Option(names = "--force",
            description = "Delete the volume even if it is in use, which breaks its users, or if its metadata"
                    + " cannot be opened.")
    private boolean force;

    /** The result. */
    record Destroyed(String name, long blocks, long freedBytes) {}

    @Override
    public Columns<?> columns() {
        return Columns.derived(Destroyed.class);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var spec = check(session);
        return Plan.of("destroy", VolumeViews.quoted(name),
                contents(volumes) + " in store " + String.join(",", spec.stores()));
    }

    @Override
    public Guard guard(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        check(session);
        return new Guard.TypeName("destroy " + VolumeViews.quoted(name) + " with " + contents(volumes) + "?", name);
    }

    /** Checks that the volume can be destroyed; if only its metadata cannot be opened, hints at {@code --force}. */
    private VolumeSpec check(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        try {
            return volumes.checkDestroy(name, force);
        } catch (IOException failed) {
            var problem = Diagnosis.of(failed);
            if (problem.exit() == ExitCode.BUSY) {
                throw unmounting(CommandFailure.of(problem), session);
            }
            boolean closed = problem.exit() == ExitCode.INTEGRITY || problem.exit() == ExitCode.UNAVAILABLE;
            if (force || !closed || !volumes.mayForceDestroy(name)) {
                throw failed;
            }
            throw CommandFailure.of(problem).causedBy(failed.getCause())
                    .hint("to see what --force would destroy: volsh volume destroy %s --force --dry-run"
                            .formatted(name));
        }
    }

    /** Mounts of this machine are to be unmounted first. */
    private CommandFailure unmounting(CommandFailure busy, Session session) throws Exception {
        CommandFailure failure = busy;
        for (var mount : session.service(Mounts.class).of(name)) {
            failure = failure.hint("volsh umount " + ShellWord.of(mount));
        }
        return failure;
    }

    private String contents(Volumes volumes) {
        return status(volumes).flatMap(VolumeStatus::contents).orElse("an unknown amount of data");
    }

    private Optional<VolumeStatus> status(Volumes volumes) {
        try {
            return Optional.of(volumes.status(name));
        } catch (IOException closed) {
            return Optional.empty();
        }
    }

    @Override
    public Destroyed run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        long stored = status(volumes).map(status -> status.usage().storedBytes()).orElse(-1L);
        try (var progress = session.progress("destroy", stored)) {
            var watcher = new Watcher(progress, session.cancellation());
            volumes.destroy(name, force, watcher);
            session.say("destroyed " + VolumeViews.quoted(name) + " (" + new ByteSize(watcher.bytes) + " freed)");
            return new Destroyed(name, watcher.blocks, watcher.bytes);
        }
    }

    private static final class Watcher implements DestructionWatcher {
        private final Progress progress;
        private final Cancellation cancellation;
        private long blocks;
        private long bytes;

        Watcher(Progress progress, Cancellation cancellation) {
            this.progress = progress;
            this.cancellation = cancellation;
        }

        @Override
        public void deleted(long size) {
            blocks++;
            bytes += size;
            progress.add(size);
        }

        @Override
        public boolean cancelled() {
            return cancellation.requested();
        }
    }
}
