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
 * <p>It opens at once: until a listing in the background is complete, a block that is not known yet is looked up by its
 * name, and no frames are kept, because the space in use is unknown. Readers read in their own threads. Frames are
 * written, and blocks evicted for them, by one task at a time in the {@code executor}, which may lag behind by a few
 * MiB: frames that arrive faster are not kept. A damaged file is dropped as a whole: where one frame is damaged, others
 * may be.
 *
 * <p>A file that another process deletes is a miss. Several programs may therefore look at, check and empty the
 * directory while it is in use; only one may fill it.
 */
public final class CacheDirectory implements DiskTier {
    /** The file that shows that the disk is mounted. The process that fills the directory may lock it. */
    public static final String LOCK = "lock";
    private static final int READ_PATIENCE = 3;
    private static final int WRITE_PATIENCE = 1;
    private static final long LAG_MAX = 32 << 20;
    private static final int FRAME_LENGTH = 128 << 10;
    /** Larger reads load the whole frame. */
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

    /** Makes or opens the directory; the first task lists its files. @throws IOException if it is not usable */
    public CacheDirectory(Disk disk, Path root, CacheSpace room, Executor executor) throws IOException {
        this(disk, root, room, executor, new EpochPolicy(room.quotaBytes(), FRAME_LENGTH), RandomGenerator.getDefault(),
                System::nanoTime);
    }

    CacheDirectory(Disk disk, Path root, CacheSpace room, Executor executor, EvictionPolicy policy,
            RandomGenerator random, LongSupplier nanos) throws IOException {
        this(disk, root, room, executor, policy, random, nanos, InstantSource.system());
    }

    CacheDirectory(Disk disk, Path root, CacheSpace room, Executor executor, EvictionPolicy policy,
            RandomGenerator random, LongSupplier nanos, InstantSource wall) throws IOException {
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
        this.upkeep = new DirectoryUpkeep(files, population, pins, filling, clock, executor, wall,
                () -> closed || !isUp(), this::resized);
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

    /** Counts a hit of the whole frame if it is cached, and nothing if not: the caller asks for the frame then. */
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

    /** Uses the file of the block; false if there is none, it is damaged, or the disk fails. */
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
            if (population.find(block) == known) {   // else it was evicted in the meantime and is being made again
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

    /**
     * A thread that is interrupted while it reads closes the file under all threads that share it: these open it once
     * more.
     */
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

    /** Adds a block that was found before the listing was complete. */
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
            synchronized (known) {   // not while its file is being written
                if (known.size() > 0) {
                    known.leave();
                    population.remove(known);
                }
            }
        }
    }

    // ---- filling

    @Override
    public void offer(long block, int frameCount, int first, @Nullable ByteBuffer[] stored) {
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
        return List.of(new DirectoryUsage(files.root(), isUp() && filling.isUp(), hits.sum(), misses.sum(),
                filling.kept(), filling.skippedFrames(), filling.evictions(), damaged.sum() + filling.damaged(),
                reading.failures() + filling.failures(), population.size(), population.bytes(), filling.quota()));
    }

    @Override
    public List<Epochs> epochs() {
        return List.of(log.epochs(Disk.directoryOf(files.root()).toString(), clock.get()));
    }

    /** Accepts no more frames; those accepted are written as long as the executor runs. */
    @Override
    public void close() {
        closed = true;
        open.close();
    }
}
