package volsh.job;

import java.util.Locale;

/** The state of a job. */
public enum JobState {
    /** Its process has not reported yet. */
    STARTING,
    RUNNING,
    /** It ended with exit code 0. */
    DONE,
    /** It ended with another exit code. */
    FAILED,
    /** It was cancelled. */
    CANCELLED,
    /** Its process is gone without an exit code: it was killed, or the machine went down. */
    LOST,
    /** Its process is on another host, which alone knows its state. */
    ELSEWHERE;

    /** Whether it may still be running. */
    public boolean isOpen() {
        return this == STARTING || this == RUNNING || this == ELSEWHERE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
