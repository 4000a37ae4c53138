package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import volsh.cache.EpochLog;
import volsh.cache.EpochPolicy;
import volsh.cache.Epochs;
import volsh.cache.EvictionPolicy;
import volsh.cache.FrameKey;
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
    /** Whoever wants more of a frame may as well have all of it. */
    private static final int PIECE_MAX = 32 << 10;
    private static final int PAGE = 4096;

    private final BlockFiles files;
    private final OpenBlocks open;
    private final ConcurrentLinkedDeque<ByteBuffer> spares = new ConcurrentLinkedDeque<>();
    private final EvictionPolicy policy;
    private final Executor executor;
    private final Pins pins;
    private final Population population;
    private final FillBuffers buffers = new FillBuffers(LAG_MAX);
    private final AtomicLong clock = new AtomicLong();
    private final CacheDiskHealth reading;
    private final HungDisk overdue;
    private final Filling filling;
    private final DirectoryUpkeep upkeep;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder damaged = new LongAdder();
    private volatile EpochLog log;
    private volatile boolean listed;
    private volatile boolean closed;

    /** Makes or opens the directory, whose files are then listed by the first task. @throws IOException if it is not usable */
    public CacheDirectory(Disk disk, Path root, CacheSpace room, Executor executor) throws IOException {
        this(disk, root, room, executor, new EpochPolicy(room.quotaBytes(), FRAME_LENGTH), RandomGenerator.getDefault(), System::nanoTime);
    }

    CacheDirectory(Disk disk, Path root, CacheSpace room, Executor executor, EvictionPolicy policy, RandomGenerator random, LongSupplier nanos)
            throws IOException {
        this(disk, root, room, executor, policy, random, nanos, InstantSource.system());
    }

    CacheDirectory(Disk disk, Path root, CacheSpace room, Executor executor, EvictionPolicy policy, RandomGenerator random, LongSupplier nanos,
            InstantSource wall) throws IOException {
        this.files = new BlockFiles(disk, root);
        this.open = new OpenBlocks(files);
        this.policy = policy;
        this.executor = executor;
        this.reading = new CacheDiskHealth(root, "read", READ_PATIENCE, nanos);
        this.overdue = new HungDisk(root, nanos);
        var writing = new CacheDiskHealth(root, "written", WRITE_PATIENCE, nanos);
        this.log = newLog(room.quotaBytes());
        disk.makeDirectories(root);
        this.pins = new Pins(root, new PinFiles(disk, root), room.quotaBytes());
        this.population = new Population(pins::contains);
        this.filling = new Filling(files, open, population, pins, room, policy, random, writing, clock::get, wall);
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
    public boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
        var here = new boolean[lengths.length];
        for (int i = 0; i < lengths.length; i++) {
            ask(block, first + i, lengths[i]);
        }
        upkeep.expirePins();
        use(block, file -> {
            file.read(first, lengths, stored, here);
            return true;
        });
        for (boolean found : here) {
            (found ? hits : misses).increment();
        }
        return here;
    }

    /** Counts for the whole frame if it is there, and for nothing if not: whoever wants it asks again. */
    @Override
    public boolean readPiece(long block, int frame, int length, int from, ByteBuffer target) {
        if (target.remaining() > PIECE_MAX || target.remaining() > length / 2) {
            return false;
        }
        var spare = spares.poll();
        var memory = spare == null ? ByteBuffer.allocateDirect(PIECE_MAX + 2 * FrameUnits.LENGTH) : spare;
        try {
            if (!use(block, file -> file.readPiece(frame, length, from, target, memory))) {
                return false;
            }
        } finally {
            spares.push(memory);
        }
        ask(block, frame, length);
        hits.increment();
        return true;
    }

    @Override
    public int skew(long block, int frame) {
        var position = new AtomicInteger(-1);
        boolean here = use(block, file -> {
            position.set(file.position(frame));
            return position.get() >= 0;
        });
        return here ? position.get() % PAGE : -1;
    }

    private void ask(long block, int frame, int length) {
        long now = clock.addAndGet(length);
        var key = new FrameKey(block, frame);
        policy.accessed(key, now);
        log.read(key, length, length, now);
    }

    private interface Use {
        boolean with(OpenBlock file) throws IOException;
    }

    /** Does something with the file of the block; false if there is none, or it is damaged, or the disk is in trouble. */
    private boolean use(long block, Use use) {
        var known = population.find(block);
        if (closed || !reading.isUp() || (known == null ? listed : known.size() == 0)) {
            return false;
        }
        int slot = overdue.begin();
        if (slot < 0) {
            return false;
        }
        try {
            return use(block, known, use);
        } finally {
            overdue.ended(slot);
        }
    }

    private boolean use(long block, @Nullable CachedBlock known, Use use) {
        try {
            return useOpened(block, use);
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
        return false;
    }

    /** Whoever is interrupted while he reads closes the file under all who share it: these open it once more. */
    private boolean useOpened(long block, Use use) throws IOException {
        try {
            return useOnce(block, use);
        } catch (ClosedChannelException interrupted) {
            open.forget(block);
            if (Thread.currentThread().isInterrupted()) {
                throw interrupted;
            }
            return useOnce(block, use);
        }
    }

    private boolean useOnce(long block, Use use) throws IOException {
        try (var file = open.take(block)) {
            boolean done = use.with(file);
            reading.worked();
            touch(block, file.file());
            return done;
        }
    }

    private boolean isUp() {
        return reading.isUp() && !overdue.isStuck();
    }

    /** One that was found before it was listed is known from now on. */
    private void touch(long block, Disk.File file) throws IOException {
        long now = clock.get();
        var known = population.find(block);
        if (known == null && !listed) {
            known = population.findOrAdd(block, now);
            population.resize(known, file.size());
        }
        if (known != null) {
            known.touch(now);
        }
    }

    private void forget(@Nullable CachedBlock known) {
        if (known != null) {
            open.forget(known.id());
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
    public DiskTierRequests upkeep() {
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
        return List.of(log.epochs(Disk.directoryOf(files.root()).toString(), clock.get()));
    }

    /** Takes nothing more; what was taken is written as long as the executor works. */
    @Override
    public void close() {
        closed = true;
        open.close();
    }
}
