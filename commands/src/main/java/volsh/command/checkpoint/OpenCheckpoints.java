package volsh.command.checkpoint;

import java.io.IOException;
import java.util.OptionalLong;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.vfs.Vfs;
import volsh.volume.Access;
import volsh.volume.Refusal;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** The checkpoints of a volume that is open for one command. */
final class OpenCheckpoints implements AutoCloseable {
    private final Volume volume;
    private final boolean shared;
    private final Progress progress;
    private final Checkpoints checkpoints;

    private OpenCheckpoints(Session session, String name, Access access, String verb, int parallel) throws Exception {
        var volumes = session.service(Volumes.class);
        this.volume = volumes.open(name, access, "checkpoint " + verb);
        this.shared = volumes.database(volume.spec()).isPresent();
        this.progress = access == Access.NAMES ? Progress.HIDDEN : session.progress(verb, -1);
        this.checkpoints = new Checkpoints(name, volume.vfs(), session.service(Owner.class), session.clock(), parallel, watching(session));
    }

    /** To read. */
    static OpenCheckpoints reading(Session session, String volume, String verb) throws Exception {
        return new OpenCheckpoints(session, volume, Access.READ, verb, Parallel.USUAL);
    }

    static OpenCheckpoints reading(Session session, String volume, String verb, Parallel parallel) throws Exception {
        return new OpenCheckpoints(session, volume, Access.READ, verb, parallel.count());
    }

    static OpenCheckpoints writing(Session session, String volume, String verb, Parallel parallel) throws Exception {
        return new OpenCheckpoints(session, volume, Access.WRITE, verb, parallel.count());
    }

    static OpenCheckpoints writing(Session session, String volume, String verb) throws Exception {
        return new OpenCheckpoints(session, volume, Access.WRITE, verb, Parallel.USUAL);
    }

    private Observer watching(Session session) {
        return new Observer() {
            @Override
            public void done(long files, long bytes) {
                progress.add(bytes);
            }

            @Override
            public void failed(String path, IOException reason) {
                session.warn(path + ": " + reason.getMessage());
            }

            @Override
            public boolean cancelled() {
                return session.cancellation().requested();
            }
        };
    }

    Checkpoints all() {
        return checkpoints;
    }

    /** @throws Refusal INVALID if nothing that is saved here can survive the loss of this host */
    void requireCommitting() throws IOException {
        if (volume.shipping().status().isEmpty() && !shared) {
            throw new Refusal(Refusal.Reason.INVALID, "the metadata of volume '%s' is only on this host, so nothing in it is ever committed".formatted(volume.spec().name()),
                    "volsh volume set %s ship-metadata=on".formatted(volume.spec().name()));
        }
    }

    /** What is saved survives the loss of this host when this returns. */
    void commit() throws IOException {
        volume.sync();
        volume.shipping().ship();
    }

    Vfs vfs() {
        return volume.vfs();
    }

    Checkpoint find(String run, Long step) throws IOException {
        return checkpoints.find(run, step == null ? OptionalLong.empty() : OptionalLong.of(step));
    }

    @Override
    public void close() throws IOException {
        progress.close();
        volume.close();
    }
}
