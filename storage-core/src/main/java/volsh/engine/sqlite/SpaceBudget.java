package volsh.engine.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import volsh.fs.DiskSpace;
import volsh.fs.NoSpaceException;

/**
 * The space that a database may use on its disk. Copying the log into the database makes the database grow, and without
 * space for that the log cannot be restarted, so that not even removing works. Therefore the growth pending in the log
 * never exceeds what {@link SpaceReserve} can lend, the log is short on a small disk, and on a full disk the database
 * does not grow.
 *
 * <p>The disk is queried once a second, and more often only if a good part of its free space may have been used since
 * or if it is full: not at every commit.
 */
final class SpaceBudget {
    private static final long PAUSE_NANOS = 1_000_000_000;
    private static final long FULL_PAUSE_NANOS = 100_000_000;
    /** The log may use this fraction of the free space. */
    private static final int LOG_SHARE = 8;
    private static final long LOG_MIN = 512 << 10;
    private static final int STEPS = 4;
    /** A log this many times too long is truncated. */
    private static final int MUCH = 4;
    private static final long GROWTH_MIN = 128 << 10;

    private final DatabaseFile file;
    private final SpaceReserve reserve;
    private final SqliteLimits limits;
    private final Disk disk;
    private final LongSupplier nanoTime;
    private volatile Look look;
    private long written;   // since the last query, by the current writer

    SpaceBudget(DatabaseFile file, SpaceReserve reserve, SqliteLimits limits) {
        this(file, reserve, limits, disk(file), System::nanoTime);
    }

    SpaceBudget(DatabaseFile file, SpaceReserve reserve, SqliteLimits limits, Disk disk, LongSupplier nanoTime) {
        this.file = file;
        this.reserve = reserve;
        this.limits = limits;
        this.disk = disk;
        this.nanoTime = nanoTime;
        lookNow();
    }

    /** Provides the free space. */
    interface Disk {
        DiskSpace space() throws IOException;
    }

    /** A disk that cannot be queried counts as having space: the first failing write then tells. */
    private static Disk disk(DatabaseFile file) {
        try {
            var disk = Files.getFileStore(file.directory());   // kept: finding it takes longer than querying it
            return () -> DiskSpace.of(disk);
        } catch (IOException unknown) {
            return SpaceBudget::unlimited;
        }
    }

    /** The result of a query. */
    private record Look(DiskSpace space, long logBytes, long reserveBytes, long nanos) {}

    /** Queries the disk if the last query was long ago, or much was written since. */
    void lookAgain() {
        var last = look;
        long age = nanoTime.getAsLong() - last.nanos;
        if (age > PAUSE_NANOS || written >= worthALook(last.space) || last.space.isFull() && age > FULL_PAUSE_NANOS) {
            lookNow();
        }
    }

    private static long worthALook(DiskSpace space) {
        return Math.max(LOG_MIN / STEPS, (space.available() - space.kept()) / LOG_SHARE);
    }

    void lookNow() {
        look = new Look(space(), size(file.wal()), reserve.bytes(), nanoTime.getAsLong());
        written = 0;
    }

    private DiskSpace space() {
        try {
            return disk.space();
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

    /** Records that the log has grown by at most {@code bytes}. */
    void wrote(long bytes) {
        written += bytes;
    }

    /** Whether the database must not grow. */
    boolean isFull() {
        return look.space.minus(written).isFull();
    }

    /** @throws NoSpaceException if a transaction of this purpose must not make the database grow */
    void requireGrowth(Purpose purpose) throws NoSpaceException {
        boolean refused = switch (purpose) {
            case WRITE -> isFull();
            case REMOVE -> isFull() && isReserveUsed();
            case FREE -> false;
        };
        if (refused) {
            throw SqliteFailures.kept(file.path(), purpose);
        }
    }

    /** Reserve used by growth is not restored before the disk has plenty of space. */
    private boolean isReserveUsed() {
        var last = look;
        return last.reserveBytes < last.space.kept() - last.space.kept() / STEPS;
    }

    /** The size of the log from which on transactions wait for it to be emptied. */
    long logMax() {
        var last = look;
        long left = Math.max(0, last.space.available() - last.space.kept()) + last.logBytes;
        return Math.min(limits.walMaxBytes(), Math.max(Math.min(LOG_MIN, last.space.kept() / 2), left / LOG_SHARE));
    }

    /** How much is written before the log is copied. */
    long logStep() {
        return Math.min(limits.walStepBytes(), logMax() / STEPS);
    }

    /** Whether the log file is so long that it should be truncated. */
    boolean isLogMuchTooLong() {
        return look.logBytes > MUCH * logMax();
    }

    /** How much the database may grow in the log before it is copied. Without a reserve the disk needs the space. */
    long growthMax() {
        var last = look;
        return Math.max(GROWTH_MIN, last.reserveBytes - last.reserveBytes / STEPS);
    }

    /** The length of the database file. */
    long databaseBytes() {
        return size(file.path());
    }
}
