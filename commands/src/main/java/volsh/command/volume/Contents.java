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

/** Reads the usage of volumes one after the other; a volume that cannot be opened gives a warning and is skipped. */
final class Contents {
    private final Volumes volumes;
    private final Session session;
    private boolean complete = true;
    private boolean damaged;

    Contents(Volumes volumes, Session session) {
        this.volumes = volumes;
        this.session = session;
    }

    /** The usage of a volume. @throws DamagedException if its metadata is damaged and it is the only one named */
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

    /** Warns of a store whose directory is missing: its free space is unknown. */
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
