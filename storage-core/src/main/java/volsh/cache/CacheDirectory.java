package volsh.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import volsh.disk.Disk;

/**
 * Stored frames of one volume in one directory: a {@link BlockFile} for each block.
 *
 * <p>It is open at once: a block nobody has heard of yet is looked for by its name, until a listing in the background has told
 * what is here; only then frames are kept, because only then it is known whether there is room. Readers read in their own
 * threads. Frames are written, and blocks evicted for them, by one task after the other in the {@code executor}, which may lag
 * behind by a few MiB: what comes faster is not kept. A file with damage goes as a whole: where one frame rots, others may.
 *
 * <p>A file that others delete is a miss. So several programs may look at, check and empty the directory while it is in use;
 * only one may fill it.
 */
public final class CacheDirectory implements DiskTier {
    /** The file that shows that the disk is there. Who fills the directory may lock it. */
    public static final String LOCK = "lock";
    private static final int READ_PATIENCE = 3;
    private static final int WRITE_PATIENCE = 1;
    private static final long LAG_MAX = 32 << 20;
    private static final int FRAME_LENGTH = 128 << 10;

    private final BlockFiles files;
    private final Policy policy;
    private final Executor executor;
    private final Pins pins;
    private final Population population;
    private final FillBuffers buffers = new FillBuffers(LAG_MAX);
    private final AtomicLong clock = new AtomicLong();
    private final Health reading;
    private final Overdue overdue;
    private final Filling filling;
    private final DirectoryUpkeep upkeep;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder damaged = new LongAdder();
    private volatile EpochLog log;
    private volatile boolean listed;
    private volatile boolean closed;

    /** Makes or opens the directory, whose files are then listed by the first task. @throws IOException if it is not usable */
    public CacheDirectory(Disk disk, Path root, Room room, Executor executor) throws IOException {
        this(disk, root, room, executor, new EpochPolicy(room.quotaBytes(), FRAME_LENGTH), RandomGenerator.getDefault(), System::nanoTime);
    }

    CacheDirectory(Disk disk, Path root, Room room, Executor executor, Policy policy, RandomGenerator random, LongSupplier nanos)
            throws IOException {
        this(disk, root, room, executor, policy, random, nanos, InstantSource.system());
    }

    CacheDirectory(Disk disk, Path root, Room room, Executor executor, Policy policy, RandomGenerator random, LongSupplier nanos,
            InstantSource wall) throws IOException {
        this.files = new BlockFiles(disk, root);
        this.policy = policy;
        this.executor = executor;
        this.reading = new Health(root, "read", READ_PATIENCE, nanos);
        this.overdue = new Overdue(root, nanos);
        var writing = new Health(root, "written", WRITE_PATIENCE, nanos);
        this.log = newLog(room.quotaBytes());
        disk.makeDirectories(root);
        this.pins = new Pins(root, new PinFiles(disk, root), room.quotaBytes());
        this.population = new Population(pins::contains);
        this.filling = new Filling(files, population, pins, room, policy, random, writing, clock::get, wall);
        this.upkeep = new DirectoryUpkeep(files, population, pins, filling, clock, executor, wall, () -> closed || !isUp(), this::resized);
        if (!files.isMarked()) {
            disk.create(root.resolve(LOCK)).close();
        }
        executor.execute(this::list);
    }

    private EpochLog newLog(long quota) {
        return new EpochLog(quota, FRAME_LENGTH, hits::sum, misses::sum, clock.get());
    }

    private void resized(long quota) {
        policy.resize(quota);
        log = newLog(quota);
    }

    private void list() {
        if (listed || !filling.isUp()) {
            return;
        }
        try {
            files.visit((block, size, modified) -> {
                var known = population.findOrAdd(block, 0);
                population.resize(known, size);
                known.bornAt(modified);
            });
            listed = true;
            upkeep.expire();
            filling.shrink();
        } catch (IOException failed) {
            filling.failed(failed);
        }
    }

    @Override
    public boolean isOn() {
        return true;
    }

    // ---- reading

    @Override
    public boolean[] read(long block, int first, ByteBuffer[] targets) {
        var here = new boolean[targets.length];
        long now = ask(block, first, targets);
        upkeep.expireSoon();
        if (!closed && reading.isUp()) {
            read(block, first, targets, here, now);
        }
        for (boolean found : here) {
            (found ? hits : misses).increment();
        }
        return here;
    }

    private long ask(long block, int first, ByteBuffer[] targets) {
        long now = 0;
        for (int i = 0; i < targets.length; i++) {
            now = clock.addAndGet(targets[i].remaining());
            var key = new FrameKey(block, first + i);
            policy.accessed(key, now);
            log.read(key, targets[i].remaining(), targets[i].remaining(), now);
        }
        return now;
    }

    private void read(long block, int first, ByteBuffer[] targets, boolean[] here, long now) {
        var known = population.find(block);
        if (known == null ? listed : known.size() == 0) {
            return;
        }
        int slot = overdue.begin();
        if (slot >= 0) {
            try {
                readOpened(block, first, targets, here, now, known);
            } finally {
                overdue.ended(slot);
            }
        }
    }

    private void readOpened(long block, int first, ByteBuffer[] targets, boolean[] here, long now, CachedBlock known) {
        try (var file = files.open(block)) {
            readFrames(file, new BlockFile(block), first, targets, here);
            reading.worked();
            touch(block, file, now);
        } catch (NoSuchFileException gone) {
            forget(known);
        } catch (BlockFile.DamagedException rotten) {
            if (population.find(block) == known) {   // else it was evicted meanwhile, and is just being made anew
                damaged.increment();
                drop(block);
            }
        } catch (IOException failed) {
            if (!Thread.currentThread().isInterrupted()) {
                reading.failed(failed);
            }
        }
    }

    private boolean isUp() {
        return reading.isUp() && !overdue.isStuck();
    }

    private static void readFrames(Disk.File file, BlockFile form, int first, ByteBuffer[] targets, boolean[] here) throws IOException {
        var entries = form.entries(file, first, targets.length);
        for (int i = 0; i < targets.length; i++) {
            if (entries[i] != null) {
                form.read(file, first + i, entries[i], targets[i]);
                here[i] = true;
            }
        }
    }

    /** One that was found before it was listed is known from now on. */
    private void touch(long block, Disk.File file, long now) throws IOException {
        var known = population.find(block);
        if (known == null && !listed) {
            known = population.findOrAdd(block, now);
            population.resize(known, file.size());
        }
        if (known != null) {
            known.touch(now);
        }
    }

    private void forget(CachedBlock known) {
        if (known != null) {
            synchronized (known) {   // not while its file is being made
                if (known.size() > 0) {
                    known.leave();
                    population.remove(known);
                }
            }
        }
    }

    // ---- filling

    @Override
    public void offer(long block, int frameCount, int first, ByteBuffer[] stored) {
        var fill = closed || !filling.isUp() ? null : Fill.of(buffers, block, frameCount, first, stored);
        if (fill == null) {
            filling.skipped(Fill.count(stored));
        } else {
            executor.execute(() -> fill(fill));
        }
    }

    private void fill(Fill fill) {
        try {
            list();
            if (listed) {
                filling.fill(fill);
            } else {
                filling.skipped(fill.frames().size());
            }
        } finally {
            buffers.giveBack(fill.bytes());
        }
    }

    @Override
    public void drop(long block) {
        filling.drop(block);
    }

    @Override
    public Upkeep upkeep() {
        return upkeep;
    }

    @Override
    public void recount() {
        executor.execute(() -> {
            try {
                var there = new HashSet<Long>();
                files.visit((block, _, _) -> there.add(block));
                population.all().stream().filter(block -> !there.contains(block.id())).forEach(this::forget);
            } catch (IOException failed) {
                filling.failed(failed);
            }
        });
    }

    @Override
    public List<DirectoryUsage> usage() {
        return List.of(new DirectoryUsage(files.root(), isUp() && filling.isUp(), hits.sum(), misses.sum(), filling.kept(),
                filling.skippedFrames(), filling.evictions(), damaged.sum() + filling.damaged(), reading.failures() + filling.failures(),
                population.size(), population.bytes(), filling.quota()));
    }

    @Override
    public List<Epochs> epochs() {
        return List.of(log.epochs(files.root().getParent().toString(), clock.get()));
    }

    /** Takes nothing more; what was taken is written as long as the executor works. */
    @Override
    public void close() {
        closed = true;
    }
}
