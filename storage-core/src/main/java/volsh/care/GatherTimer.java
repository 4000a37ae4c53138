package volsh.care;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import volsh.assembly.BackgroundTasks;
import volsh.vfs.PackingListener;
import volsh.vfs.SmallFilePacking;

/**
 * While a volume is mounted, lets closes of small files leave their bytes in the metadata, and stores many of them
 * together as soon as much waits there, or when no more are written for a while. What still waits at the end stays in
 * the metadata; {@link AutoPacking} of the next mount stores it where it is much.
 */
public final class GatherTimer implements AutoCloseable {
    /** Larger files are worth a block of their own; rows of the metadata have no more. */
    static final int LARGEST = 64 << 10;
    /** Then files are stored one by one: they come faster than they can be stored together. */
    static final long MOST = 128 << 20;
    /** From here on files are stored together at once. */
    static final long MUCH = 32 << 20;
    /** Fewer files may wait for more. */
    static final int FILES_MIN = 8;
    /** Turns without a new file until all are stored. */
    static final int QUIET = 5;

    private static final long BLOCK = 4 << 20;
    private static final Duration EVERY = Duration.ofSeconds(1);

    private final SmallFilePacking files;
    private final BackgroundTasks tasks;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("gathered").daemon().factory());
    private long added;
    private int quiet;
    private volatile boolean closed;

    public GatherTimer(SmallFilePacking files, BackgroundTasks tasks) {
        this.files = files;
        this.tasks = tasks;
    }

    public void start() throws IOException {
        files.gather(LARGEST, MOST);
        var _ = timer.scheduleWithFixedDelay(() -> tasks.run(BackgroundTasks.Task.GATHER, this::turn),
                EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stores what is due. */
    void turn() throws IOException {
        files.gather(LARGEST, MOST);
        var waiting = files.gathered();
        quiet = waiting.added() == added ? quiet + 1 : 0;
        added = waiting.added();
        boolean all = quiet >= QUIET && waiting.files() >= FILES_MIN;
        while (!closed && (waiting.bytes() >= MUCH || all && waiting.files() > 0)) {
            files.storeGathered(BLOCK, new PackingListener() {
                @Override
                public boolean stopped() {
                    return closed;
                }
            });
            waiting = files.gathered();
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        timer.shutdown();
        timer.close();
        files.gather(0, 0);
    }
}
