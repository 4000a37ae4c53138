package volsh.meta.sqlite;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import volsh.fs.DiskSpace;

/**
 * What the disk of a database has room for. Copying the log into the database makes the database grow, and without space for that the log cannot be used from its
 * beginning again, so that not even removing works. Therefore the growth that waits in the log is never more than what the {@link SpaceReserve} can lend, the log is short
 * where the disk is, and on a full disk the database does not grow.
 *
 * <p>The disk is asked once a second, and more often only when a good part of what it had may have been written since or when it is full: not at every commit.
 */
final class SpaceBudget {
    private static final long PAUSE_NANOS = 1_000_000_000;
    private static final long FULL_PAUSE_NANOS = 100_000_000;
    /** The log has at most this part of what is left. */
    private static final int LOG_SHARE = 8;
    private static final long LOG_MIN = 512 << 10;
    private static final int STEPS = 4;
    /** A log that is so many times too long is cut. */
    private static final int MUCH = 4;
    private static final long GROWTH_MIN = 128 << 10;

    private final DatabaseFile file;
    private final SpaceReserve reserve;
    private final Limits limits;
    private final FileStore disk;   // null if it cannot be asked: then the first write that fails says
    private volatile Look look;
    private long written;   // since the last look, by whose turn it is to write

    SpaceBudget(DatabaseFile file, SpaceReserve reserve, Limits limits) {
        this.file = file;
        this.reserve = reserve;
        this.limits = limits;
        this.disk = disk(file);
        lookNow();
    }

    private static FileStore disk(DatabaseFile file) {
        try {
            return Files.getFileStore(file.directory());
        } catch (IOException unknown) {
            return null;
        }
    }

    /** What was found at a time. */
    private record Look(DiskSpace space, long logBytes, long reserveBytes, long nanos) {}

    /** Asks the disk if that was long ago, or if much was written since. */
    void lookAgain() {
        var last = look;
        long age = System.nanoTime() - last.nanos;
        if (age > PAUSE_NANOS || written >= worthALook(last.space) || last.space.isFull() && age > FULL_PAUSE_NANOS) {
            lookNow();
        }
    }

    private static long worthALook(DiskSpace space) {
        return Math.max(LOG_MIN / STEPS, (space.available() - space.kept()) / LOG_SHARE);
    }

    void lookNow() {
        look = new Look(space(), size(file.wal()), reserve.bytes(), System.nanoTime());
        written = 0;
    }

    private DiskSpace space() {
        try {
            return disk == null ? unlimited() : DiskSpace.of(disk);
        } catch (IOException unknown) {
            return unlimited();
        }
    }

    private static DiskSpace unlimited() {
        return new DiskSpace(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2);
    }

    private static long size(Path path) {
        try {
            return Files.size(path);
        } catch (IOException none) {
            return 0;
        }
    }

    /** So much was written to the log, which is longer by that at most. */
    void wrote(long bytes) {
        written += bytes;
    }

    /** Whether the database must not grow. */
    boolean isFull() {
        return look.space.minus(written).isFull();
    }

    /** From which size of the log on transactions wait for it to be emptied. */
    long logMax() {
        var last = look;
        long left = Math.max(0, last.space.available() - last.space.kept()) + last.logBytes;
        return Math.min(limits.walMaxBytes(), Math.max(LOG_MIN, left / LOG_SHARE));
    }

    /** How much is written before the log is copied. */
    long logStep() {
        return Math.min(limits.walStepBytes(), logMax() / STEPS);
    }

    /** Whether the file of the log is so long that the disk is better off without it. */
    boolean isLogMuchTooLong() {
        return look.logBytes > MUCH * logMax();
    }

    /** How much the database may grow in the log before that is copied. A disk that has no reserve has to have the space itself. */
    long growthMax() {
        var last = look;
        return Math.max(GROWTH_MIN, last.reserveBytes - last.reserveBytes / STEPS);
    }

    /** How long the database's file is. */
    long databaseBytes() {
        return size(file.path());
    }
}
