package volsh.fs;

/**
 * A held or requested lock on bytes {@code [start, last]} of a file. An owner is what the kernel says holds locks
 * together (a process, or an open file); its number is meaningful within one mount only. {@code process} is
 * informational.
 */
public record Lock(Kind kind, boolean exclusive, long start, long last, long owner, int process) {
    /** The last byte of a lock without an end. */
    public static final long END = Long.MAX_VALUE;

    /** The two kinds are independent of each other. */
    public enum Kind {
        /** Of flock: the whole file, belongs to an open file. */
        WHOLE,
        /** Of fcntl: a range, belongs to a process or an open file. */
        RANGE
    }

    public Lock {
        if (start < 0 || last < start) {
            throw new IllegalArgumentException("invalid range of a lock: %d to %d".formatted(start, last));
        }
    }

    /** The same lock on other bytes. */
    public Lock on(long from, long to) {
        return new Lock(kind, exclusive, from, to, owner, process);
    }

    public boolean overlaps(long from, long to) {
        return start <= to && from <= last;
    }
}
