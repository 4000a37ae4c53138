package volsh.volume;

import java.util.List;
import volsh.meta.Session;
import volsh.meta.Usage;

/** A volume as it is now: what it is, how much it holds, and who has it open. */
public record VolumeStatus(VolumeSpec spec, Usage usage, List<Session> sessions) {
    public VolumeStatus {
        sessions = List.copyOf(sessions);
    }
}
