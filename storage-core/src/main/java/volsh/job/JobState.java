package volsh.job;

import java.util.Locale;

/** How a job is. */
public enum JobState {
    /** Its process has not said yet that it is there. */
    STARTING,
    RUNNING,
    /** It ended with 0. */
    DONE,
    /** It ended with another number. */
    FAILED,
    /** It was asked to stop and did. */
    CANCELLED,
    /** Its process is gone and left no end: it was killed, or the machine went down. */
    LOST,
    /** Its process is on another host, which alone knows. */
    ELSEWHERE;

    /** Whether there may still be something to wait for. */
    public boolean isOpen() {
        return this == STARTING || this == RUNNING || this == ELSEWHERE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
