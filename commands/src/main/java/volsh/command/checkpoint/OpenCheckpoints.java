package volsh.command.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.checkpoint.Archiving;
import volsh.checkpoint.Checkpoint;
import volsh.checkpoint.Checkpoints;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.event.EventLog;
import volsh.event.Happening;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.place.LayoutPolicy;
import volsh.transfer.Observer;
import volsh.vfs.Vfs;
import volsh.volume.BlockCare;
import volsh.volume.StoreAssignment;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** The checkpoints of a volume that is open for one command. */
final class OpenCheckpoints implements AutoCloseable {
    private final Session session;
    private final Volume volume;
    private final boolean shared;
    private final Progress progress;
    private final Checkpoints checkpoints;
    private final Observer observer;
    private final EventLog events;
    private final List<BlockCare> closing = new ArrayList<>();

    private OpenCheckpoints(Session session, String name, Access access, String verb, int parallel) throws Exception {
        this.session = session;
        var volumes = session.service(Volumes.class);
        this.volume = volumes.open(name, access, "checkpoint " + verb);
        this.shared = volumes.database(volume.spec()).isPresent();
        this.progress = access == Access.NAMES ? Progress.HIDDEN : session.progress(verb, -1);
        this.events = new EventLog(session.service(Home.class).state().resolve("events"));
        this.observer = watching(session);
        this.checkpoints = new Checkpoints(name, volume.vfs(), session.service(Owner.class), session.clock(), parallel,
                observer);
    }

    /** Opens for reading. */
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

    /** Checks before a save that the volume can reach the requested durability. */
    void requireReaching(Until level) throws IOException {
        if (level == Until.COMMITTED) {
            requireCommitting();
        }
        if (level == Until.REPLICATED) {
            requireReplicating();
        }
    }

    /** Returns when the stored checkpoint has the requested durability. */
    void reach(Until level, Checkpoint saved) throws IOException {
        if (level == Until.COMMITTED || level == Until.REPLICATED) {
            volume.commit();
        }
        if (level == Until.REPLICATED) {
            replicate(saved);
        }
    }

    /** @throws Refusal INVALID if checkpoints of this volume cannot survive the loss of this host */
    private void requireCommitting() throws IOException {
        if (volume.shipping().status().isEmpty() && !shared) {
            throw new Refusal(Refusal.Reason.INVALID, ("volume '%s' does not ship its metadata: "
                    + "its checkpoints are stored at best, never committed").formatted(volume.spec().name()),
                    "volsh volume set %s ship-metadata=on".formatted(volume.spec().name()));
        }
    }

    /** @throws Refusal INVALID if checkpoints of this volume cannot survive the loss of a store */
    private void requireReplicating() throws IOException {
        requireCommitting();
        boolean spread = volume.spot().isPresent();
        var policy = spread ? volume.spot().get().store().repair().policy(volume.spot().get().rows().ofInode(Vfs.ROOT))
                : LayoutPolicy.SINGLE;
        if (policy.components().stream().anyMatch(each -> each.layout().losses() == 0)) {
            throw new Refusal(Refusal.Reason.INVALID, ("volume '%s' keeps each block in one store (%s): its "
                    + "checkpoints are committed at best, never replicated").formatted(volume.spec().name(), policy),
                    spread ? new String[] {"volsh stripe set %s --mirror 2".formatted(volume.spec().name())}
                            : StoreAssignment.toAddStores());
        }
    }

    /**
     * Returns when the checkpoint survives the loss of any one store.
     *
     * @throws Refusal UNAVAILABLE if that is impossible now
     */
    private void replicate(Checkpoint saved) throws IOException {
        try (var care = care()) {
            var found = care.redundancy(Archiving.files(volume, saved));
            String place = volume.spec().name() + ":" + saved.path();
            if (found.single() > 0) {
                throw new Refusal(Refusal.Reason.INVALID,
                        "%s is committed, but not replicated: %d of its %d blocks are shared and in one store each"
                        .formatted(place, found.single(), found.blocks()),
                        "volsh stripe migrate %s --mirror 2".formatted(ShellWord.of(place)));
            }
            if (!found.isFull()) {
                throw new Refusal(Refusal.Reason.UNAVAILABLE, ("%s is committed, but not replicated: "
                        + "%d of its %d blocks lack a part that a store does not accept")
                        .formatted(place, found.lacking(), found.blocks()), "volsh heal " + volume.spec().name());
            }
        }
    }

    private BlockCare care() throws IOException {
        return new BlockCare(volume, new BlockCare.Watcher() {
            @Override
            public void looked(long bytes) {
                progress.add(bytes);
            }

            @Override
            public boolean cancelled() {
                return observer.cancelled();
            }
        });
    }

    /** The mover of checkpoints to this layout. */
    Archiving archiving(LayoutPolicy policy, Consumer<BlockCare> settings) throws IOException {
        var care = care();
        closing.add(care);
        settings.accept(care);
        return new Archiving(volume, care, checkpoints, policy);
    }

    /** Records an event about a checkpoint, see {@code volsh events}. */
    void tell(Happening.Level level, String path, String text) {
        events.add(level, "checkpoint", volume.spec().name() + ":" + path, text);
    }

    Vfs vfs() {
        return volume.vfs();
    }

    Checkpoint find(String run, Long step) throws IOException {
        var found = checkpoints.find(run, step == null ? OptionalLong.empty() : OptionalLong.of(step));
        if (step == null && !found.latest()) {
            checkpoints.lastSaved(run).filter(last -> !last.valid()).ifPresent(last -> session.warn(
                    "the last saved step %d is damaged (%s); step %d is the newest valid one".formatted(
                            last.step(), last.trouble(), found.step())));
        }
        return found;
    }

    @Override
    public void close() throws IOException {
        closing.forEach(BlockCare::close);
        progress.close();
        volume.close();
    }
}
