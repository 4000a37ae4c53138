package volsh.engine.sqlite;

import java.time.Duration;

/**
 * The time and size limits of an engine.
 *
 * @param busyMax how long a transaction may wait for another process that holds the write lock
 * @param emptyingMax how long a checkpoint that empties the write-ahead log may wait for readers
 * @param walStepBytes how much is written before the write-ahead log is copied into the database
 * @param walMaxBytes from which size of the write-ahead log on transactions wait for it to be emptied
 * @param readers how many reads run at once
 */
record SqliteLimits(Duration busyMax, Duration emptyingMax, long walStepBytes, long walMaxBytes, int readers) {
    static SqliteLimits standard() {
        int readers = Math.clamp(Runtime.getRuntime().availableProcessors(), 4, 16);
        return new SqliteLimits(Duration.ofSeconds(30), Duration.ofSeconds(1), 16L << 20, 64L << 20, readers);
    }
}
