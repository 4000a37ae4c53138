package volsh.command.volume;

import java.io.IOException;
import java.util.Optional;
import volsh.catalog.VolumeSpec;
import volsh.command.Session;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.fs.DamagedException;
import volsh.volume.VolumeStatus;
import volsh.volume.Volumes;

/** Looks into volumes one after the other; one that cannot be opened is warned about and does not hide the others. */
final class Contents {
    private final Volumes volumes;
    private final Session session;
    private boolean complete = true;
    private boolean damaged;

    Contents(Volumes volumes, Session session) {
        this.volumes = volumes;
        this.session = session;
    }

    /** What a volume holds. @throws DamagedException if its metadata is damaged and it is the only one that was asked for */
    Optional<VolumeStatus> status(String volume, boolean alone) throws DamagedException {
        session.cancellation().check();
        try {
            return Optional.of(volumes.status(volume));
        } catch (IOException closed) {
            if (alone && closed instanceof DamagedException damaged) {
                throw damaged;
            }
            complete = false;
            session.warn(Diagnosis.of(closed).message());
            return Optional.empty();
        }
    }

    /** Tells of a store in a directory that is missing: nobody knows how much room it has. */
    void requireDirectories(VolumeSpec volume) {
        try {
            volumes.stores().requireDirectories(volume);
        } catch (IOException missing) {
            complete = false;
            var problem = Diagnosis.of(missing);
            damaged |= problem.exit() == ExitCode.INTEGRITY;
            session.warn(problem.message());
        }
    }

    /** Whether the entry of a store is damaged. */
    boolean damaged() {
        return damaged;
    }

    /** Whether all could be opened. */
    boolean complete() {
        return complete;
    }
}
