package volsh.fuse;

import java.time.Instant;

/** Converts times of programs to those of the vfs: nanoseconds since the epoch. */
public final class Times {
    private static final long SECOND = 1_000_000_000L;

    private Times() {}

    /** A time out of range (before 1677, after 2262) becomes the nearest representable one. */
    public static long of(long seconds, int nanos) {
        long most = Long.MAX_VALUE / SECOND - 1;
        return Math.clamp(seconds, -most, most) * SECOND + nanos;
    }

    public static long of(Instant moment) {
        return of(moment.getEpochSecond(), moment.getNano());
    }
}
