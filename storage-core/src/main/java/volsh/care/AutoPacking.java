package volsh.care;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import volsh.assembly.BackgroundTasks;
import volsh.block.Pause;
import volsh.catalog.CompactMode;
import volsh.catalog.Log;
import volsh.engine.MetaEngine;
import volsh.inventory.PackingQueue;
import volsh.inventory.Superblock;
import volsh.vfs.PackingListener;
import volsh.vfs.PackingReport;

/**
 * Stores small files together that were written one by one, while a volume is mounted. Directories with many such files
 * wait in a row of the metadata, so that another mount can go on; one mount at a time packs. It begins when no small
 * file has been written for a while, and goes on while the store has nothing else to do: after each block it waits as
 * long as its rate demands, and longer if there is other traffic meanwhile.
 */
public final class AutoPacking implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(5);
    /** As long as small files come in, more will. */
    private static final Duration QUIET = Duration.ofSeconds(10);
    /** As many new files make a directory worth a visit. */
    static final int FILES_MIN = 64;
    private static final int FILES_MAX = 100_000;
    private static final long BYTES_PER_SECOND = 16 << 20;
    private static final int FILES_PER_SECOND = 20_000;
    private static final Duration STEP = Duration.ofMillis(100);
    /** Traffic of others delays a block by this at most. */
    private static final int STEPS_MAX = 100;
    /** A directory is visited again only after this many times the last visit took. */
    private static final int REST = 10;

    private final String volume;
    private final MetaEngine engine;
    private final PackedFiles files;
    private final InstantSource clock;
    private final Pause pause;
    private final LongSupplier session;
    private final LongSupplier traffic;
    private final BackgroundTasks tasks;
    private final Set<Long> written = ConcurrentHashMap.newKeySet();
    private final Map<Long, Integer> counts = new HashMap<>();   // new files of directories that do not wait yet
    private final Map<Long, Long> resting = new HashMap<>();   // directories, and until when
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("packing").daemon().factory());
    private volatile long lastWritten;
    private volatile boolean closed;

    /** The files of the volume. */
    public interface PackedFiles {
        /** The directories of these files, and how many of them each has. */
        Map<Long, Integer> directories(List<Long> inos) throws IOException;

        /** Stores the small files of a directory together. */
        PackingReport pack(long directory, PackingListener listener) throws IOException;
    }

    /** {@code traffic} counts the requests of this process to the store. */
    public AutoPacking(String volume, MetaEngine engine, PackedFiles files, InstantSource clock, Pause pause,
            LongSupplier session, LongSupplier traffic, BackgroundTasks tasks) {
        this.volume = volume;
        this.engine = engine;
        this.files = files;
        this.clock = clock;
        this.pause = pause;
        this.session = session;
        this.traffic = traffic;
        this.tasks = tasks;
        this.lastWritten = pause.nanoTime();
    }

    public void start() {
        var _ = timer.scheduleWithFixedDelay(() -> tasks.run(BackgroundTasks.Task.PACK, this::turn), EVERY.toMillis(),
                EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A small file was written into a block of its own. */
    public void written(long ino) {
        lastWritten = pause.nanoTime();
        if (written.size() < FILES_MAX) {
            written.add(ino);
        }
    }

    /** Notes where small files were written; packs directories that wait, if it is quiet and no other process does. */
    void turn() throws IOException {
        note();
        if (pause.nanoTime() - lastWritten < QUIET.toNanos() || mode() == CompactMode.MANUAL) {
            return;
        }
        var queue = queue();
        if (queue.waiting().stream().allMatch(this::isResting)) {
            return;
        }
        var due = queue.begin();
        if (due.isPresent()) {
            try {
                pack(queue, due.get().stream().filter(directory -> !isResting(directory)).toList());
            } finally {
                queue.end();
            }
        }
    }

    private void pack(PackingQueue queue, List<Long> directories) throws IOException {
        for (long directory : directories) {
            long began = pause.nanoTime();
            var done = files.pack(directory, new Gentle());
            if (closed) {
                return;   // what is left of the directory waits
            }
            long end = pause.nanoTime();
            resting.values().removeIf(until -> until - end <= 0);
            resting.put(directory, end + REST * (end - began));
            if (done.packed() > 0) {
                Log.LOG.log(Level.INFO, "volume '%s': stored %d small files together, %d blocks in place of %d"
                        .formatted(volume, done.packed(), done.after().blocks(), done.before().blocks()));
            }
            if (!queue.done(directory)) {
                return;
            }
        }
    }

    private boolean isResting(long directory) {
        var until = resting.get(directory);
        return until != null && until - pause.nanoTime() > 0;
    }

    private void note() throws IOException {
        if (written.isEmpty()) {
            return;
        }
        var some = new ArrayList<>(written);
        some.forEach(written::remove);
        files.directories(some).forEach((directory, count) -> counts.merge(directory, count, Integer::sum));
        var many = counts.entrySet().stream().filter(entry -> entry.getValue() >= FILES_MIN).map(Map.Entry::getKey)
                .toList();
        if (!many.isEmpty()) {
            queue().add(many);
            many.forEach(counts::remove);
        }
        if (counts.size() > FILES_MAX) {
            counts.clear();   // few files each, in very many directories
        }
    }

    private PackingQueue queue() {
        return new PackingQueue(engine, clock, session.getAsLong());
    }

    private CompactMode mode() throws IOException {
        return new Superblock(engine, clock).setting(CompactMode.SETTING, CompactMode::parse);
    }

    /** Takes its time, lets others go first, and stops when it is no longer wanted. */
    private final class Gentle implements PackingListener {
        @Override
        public void looked(long some) throws IOException {
            rest(some * 1_000_000_000L / FILES_PER_SECOND);
        }

        @Override
        public void stored(long bytes) throws IOException {
            rest(bytes * 1_000_000_000L / BYTES_PER_SECOND);
            long before = traffic.getAsLong();
            for (int i = 0; i < STEPS_MAX && !closed; i++) {
                pause.sleep(STEP);
                long now = traffic.getAsLong();
                if (now == before) {
                    return;
                }
                before = now;
            }
        }

        private void rest(long nanos) throws IOException {
            for (long left = nanos; left > 0 && !closed; left -= STEP.toNanos()) {
                pause.sleep(Duration.ofNanos(Math.min(left, STEP.toNanos())));
            }
        }

        @Override
        public boolean stopped() {
            return closed;
        }
    }

    /** Stops soon; where small files were written is noted for the next mount, if the metadata can be reached. */
    @Override
    public void close() {
        closed = true;
        timer.shutdown();
        timer.close();
        try {
            note();
        } catch (IOException | RuntimeException unknown) {
            // 'volume compact' finds them
        }
    }
}
