package volsh.chunk;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import volsh.cache.FrameCache;
import volsh.cache.MemoryCache;
import volsh.codec.BlockCodec;
import volsh.codec.CorruptBlockException;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.FileTable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.GatheredFiles;
import volsh.fs.ImportChangedException;
import volsh.fs.PassedRange;
import volsh.fs.Unwritten;

/**
 * The bytes of all open files of a volume: one {@link FileState} per inode, shared by all its handles, and one memory
 * budget for unwritten bytes. A writer that is faster than the store waits; memory never runs out.
 */
public final class Chunks implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMillis(200);
    /**
     * The number of pieces loaded ahead at a time: enough for a distant store, and few enough to leave memory for
     * waiting readers.
     */
    private static final int PREFETCHERS = 12;

    private final FileTable table;
    private final BlockIo blocks;
    private final ChunkSettings settings;
    private final Executor executor;
    private final Executor ahead;
    private final InstantSource clock;
    private final Slabs buffers;
    private final FrameCache cache;
    private final FrameReads frames;
    private final Caches caches;
    private final AtomicLong viewed = new AtomicLong();
    private final Semaphore prefetchers = new Semaphore(PREFETCHERS);
    private final Map<Long, FileState> states = new HashMap<>();
    private final AtomicLong commits = new AtomicLong();
    private final AtomicInteger sequentialReaders = new AtomicInteger();
    private final Rewrites rewrites = new Rewrites();
    private final Crowds crowds;
    private final GatheredFiles gathered = new GatheredFiles();
    private volatile Consumer<CorruptBlockException> damaged = _ -> { };
    private volatile Consumer<ImportChangedException> importChanged = _ -> { };
    private volatile LongConsumer small = ino -> {};
    private volatile PassedRange passed = (ino, from, to) -> {};
    private volatile boolean hasStranded;   // a closed file may have bytes left to write; may be true when none has

    /** {@code executor} runs uploads and parallel reads, in any order; no task waits for another. */
    public Chunks(FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, InstantSource clock) {
        this(table, blocks, settings, executor, executor, clock);
    }

    /** With another executor for reading ahead. */
    public Chunks(FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, Executor ahead,
            InstantSource clock) {
        this(table, blocks, settings, executor, ahead, clock,
                new MemoryCache(settings.cacheBytes(), BlockCodec.FRAME_LENGTH));
    }

    /** With a cache of its own, which it closes. */
    public Chunks(
            FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, InstantSource clock,
            FrameCache cache) {
        this(table, blocks, settings, executor, executor, clock, cache);
    }

    private Chunks(
            FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, Executor ahead,
            InstantSource clock, FrameCache cache) {
        this.table = table;
        this.blocks = blocks;
        this.settings = settings;
        this.executor = executor;
        this.ahead = ahead;
        this.clock = clock;
        this.buffers = new Slabs(settings.bufferBytes());
        this.cache = cache;
        this.frames = new FrameReads(blocks.reader(), cache, settings, ahead);
        this.caches = new Caches(this, cache, blocks.tier(), blocks.reader(), frames.whole());
        this.crowds = new Crowds(settings);
    }

    /** The caches that reads go through, for code that manages or measures them. */
    public Caches caches() {
        return caches;
    }

    /** Calls the listener from now on for every read that fails because a block is damaged or missing. */
    public void onDamage(Consumer<CorruptBlockException> listener) {
        damaged = listener;
    }

    /** Calls the listener from now on for every read that fails because an imported object changed. */
    public void onImportChanged(Consumer<ImportChangedException> listener) {
        importChanged = listener;
    }

    /** Reports a read that failed after all retries. */
    public void failed(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CorruptBlockException corrupt) {
                damaged.accept(corrupt);
                return;
            }
            if (cause instanceof ImportChangedException changed) {
                importChanged.accept(changed);
                return;
            }
        }
    }

    /** The state of this file; give it back with {@link #release}. */
    public FileState acquire(long ino) {
        int blockSize = blockSize(ino);
        synchronized (states) {
            var state = states.computeIfAbsent(ino,
                    absent -> new FileState(absent, this, new ExtentView(viewed), blockSize));
            state.users++;
            return state;
        }
    }

    /** The block size of this file; that of the volume if the metadata does not answer now. */
    private int blockSize(long ino) {
        var placement = blocks.placement();
        try {
            return placement.isSingle() || isOpen(ino) ? settings.blockSize()
                    : placement.blockSize(ino, settings.blockSize());
        } catch (IOException unknown) {
            return settings.blockSize();
        }
    }

    /** The number of the layout of new blocks of this file, or of files in this directory. */
    public int policy(long ino) throws IOException {
        return blocks.placement().policy(ino);
    }

    /** Whether the file is open here or has bytes left to write. */
    public boolean isOpen(long ino) {
        synchronized (states) {
            return states.containsKey(ino);
        }
    }

    /** Whether the file has unwritten bytes. */
    public boolean isDirty(long ino) {
        FileState state;
        synchronized (states) {
            state = states.get(ino);
        }
        return state != null && state.windows().isDirty();
    }

    boolean isInUse(FileState state) {
        synchronized (states) {
            return state.users > 0;
        }
    }

    /** What unwritten bytes change of the attributes of this file; nothing if it is not open here. */
    public FileState.Pending pending(long ino) {
        var state = find(ino);
        return state == null ? FileState.Pending.NOTHING : state.windows().pending();
    }

    /** As {@link FileState#versionBehind}; {@code known} if the file is not open here. */
    public long versionBehind(long ino, long known) {
        var state = find(ino);
        return state == null ? known : state.versionBehind(known);
    }

    private @Nullable FileState find(long ino) {
        synchronized (states) {
            return states.get(ino);
        }
    }

    /** The metadata has this version of the file: later reads here see it or a newer one. */
    public void saw(Attributes attributes) {
        FileState state;
        synchronized (states) {
            state = states.get(attributes.ino());
        }
        if (state != null) {
            state.view().saw(attributes.version());
        }
    }

    /** What was stored again to keep files in few extents. */
    public Rewrites rewrites() {
        return rewrites;
    }

    /**
     * Tells the listener of each commit of a small file, a quarter of a block or less, that is above the inline limit.
     */
    public void onSmall(LongConsumer listener) {
        small = listener;
    }

    /** Tells the listener of parts of files that sequential readers have passed. */
    public void onPassed(PassedRange listener) {
        passed = listener;
    }

    PassedRange passed() {
        return passed;
    }

    void committed(Attributes attributes) {
        if (attributes.size() <= settings.blockSize() / 4) {
            small.accept(attributes.ino());
        }
    }

    /** Small files that wait in the metadata to be stored together. */
    public GatheredFiles gathered() {
        return gathered;
    }

    /** These bytes of a small file were committed, and are in the metadata. */
    void committedInline(Attributes attributes) {
        if (attributes.size() > settings.inlineMax()) {
            gathered.add(attributes.ino(), attributes.size());
            small.accept(attributes.ino());
        }
    }

    /** Tells the listener of parts of files that are crowded with extents. */
    public void onCrowded(Crowded listener) {
        crowds.tell(listener);
    }

    Crowds crowds() {
        return crowds;
    }

    /** Deletes a block that no row names. If that fails, the block is garbage, which gc finds; no file is affected. */
    public void discard(BlockRow row) {
        try {
            blocks.writer().delete(row);
        } catch (IOException left) {
            // see above
        }
    }

    /** Deletes blocks that no reader can need. */
    public void deleteAll(List<Long> dead) throws IOException {
        blocks.writer().deleteAll(dead);
        dead.forEach(cache::drop);
    }

    /**
     * Counts commits of unwritten bytes. A caller that reads pending bytes and metadata, and finds the count changed,
     * may have missed a commit in between.
     */
    public long commits() {
        return commits.get();
    }

    void countCommit() {
        commits.incrementAndGet();
    }

    /**
     * Ends one use of the state. A file with bytes that could not be written stays, so that a later flush can try
     * again, unless it was removed.
     */
    public void release(FileState state) {
        boolean stranded;
        synchronized (states) {
            state.users--;
            stranded = !removeIfUnused(state) && state.users == 0;
        }
        if (stranded) {
            hasStranded = true;
            forgetRemoved(state);
        }
    }

    private boolean removeIfUnused(FileState state) {
        boolean unused = state.users == 0 && !state.windows().isDirty();
        if (unused) {
            states.remove(state.ino(), state);
            state.view().close();
        }
        return unused;
    }

    /** Drops the unwritten bytes of removed files that are not open here: no reader can ask for them. */
    public void forgetRemoved() {
        if (hasStranded) {
            hasStranded = false;   // first: a release in between sets it again
            var stranded = all().stream().filter(state -> !isInUse(state)).toList();
            stranded.forEach(this::forgetRemoved);
            hasStranded |= stranded.stream().anyMatch(state -> state.windows().isDirty());
        }
    }

    private void forgetRemoved(FileState state) {
        if (state.windows().hasFailed() && isForsaken(state)) {
            state.windows().drop(false);
            synchronized (states) {
                removeIfUnused(state);
            }
        }
    }

    /** Whether the file has no name and is not open here. False if the metadata does not answer now. */
    boolean isForsaken(FileState state) {
        if (isInUse(state)) {
            return false;
        }
        try {
            return table.content(state.ino(), 0, 0).attributes().links() == 0;
        } catch (FsException gone) {
            return gone.error() == FsError.NO_ENTRY;
        } catch (IOException unknown) {
            return false;
        }
    }

    /** The unwritten bytes, file by file. */
    public List<Unwritten> unwritten() {
        return all().stream().map(state -> state.windows().unwritten(state.ino())).filter(Objects::nonNull).toList();
    }

    /**
     * For a process whose session was ended: drops the unwritten bytes of files that were changed or removed elsewhere
     * since, or of {@code all} files, and returns which. Also forgets the extents of open files, as their blocks may be
     * deleted.
     */
    public List<Unwritten> dropConflicting(boolean all) throws IOException {
        var conflicting = new LinkedHashMap<FileState, Unwritten>();
        for (var state : all()) {
            var waiting = state.windows().unwritten(state.ino());
            if (waiting != null && (all || isChangedElsewhere(state))) {
                conflicting.put(state, waiting);
            }
        }
        conflicting.keySet().forEach(this::lose);   // last, as nothing can fail from here on
        all().forEach(state -> state.view().forget());
        return List.copyOf(conflicting.values());
    }

    private void lose(FileState state) {
        state.lose();
        synchronized (states) {
            removeIfUnused(state);
        }
    }

    private boolean isChangedElsewhere(FileState state) throws IOException {
        try {
            return state.isChangedElsewhere(table.content(state.ino(), 0, 0).attributes());
        } catch (FsException gone) {
            if (gone.error() == FsError.NO_ENTRY) {
                return true;
            }
            throw gone;
        }
    }

    /**
     * Flushes the files again whose last flush failed; returns whether there were any. A failure stays with the bytes.
     */
    public boolean retryFailed() {
        boolean tried = false;
        for (var state : all()) {
            if (state.windows().hasFailed()) {
                tried = true;
                try {
                    state.flush();
                } catch (IOException again) {
                    // recorded in its windows
                }
                synchronized (states) {
                    removeIfUnused(state);
                }
            }
        }
        return tried;
    }

    /** Drops all unwritten bytes, for good. Waiting flushes fail. */
    public void discardUnwritten() {
        for (var state : all()) {
            state.windows().drop(true);
            synchronized (states) {
                removeIfUnused(state);
            }
        }
    }

    /** Flushes every file; throws the first failure after trying all. */
    public void flushAll() throws IOException {
        IOException first = null;
        for (var state : all()) {
            try {
                state.flush();
            } catch (IOException failure) {
                first = first == null ? failure : first;
            }
            synchronized (states) {
                removeIfUnused(state);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Stores many small files as one block. */
    public Packer packer() {
        return new Packer(this);
    }

    public ChunkSettings settings() {
        return settings;
    }

    /** Bytes of memory that hold unwritten data. */
    public long bufferedBytes() {
        return buffers.lent();
    }

    private List<FileState> all() {
        synchronized (states) {
            return new ArrayList<>(states.values());
        }
    }

    /** Memory for written bytes. When none is left, starts flushing the fullest buffers and waits. */
    Slab buffer(int size) throws IOException {
        Slab slab = buffers.tryTake(size);
        while (slab == null) {
            boolean done = relieve() && !isWriting();   // else a flush will return memory
            slab = done ? buffers.tryTake(size) : buffers.tryTake(size, PATIENCE);
        }
        return slab;
    }

    private boolean isWriting() {
        return all().stream().anyMatch(state -> state.windows().isWriting());
    }

    /**
     * Starts flushing the fullest buffers; false if there are none, or if most of the memory is being flushed already:
     * a sequential writer would otherwise have the window that it is about to fill stored in two parts.
     *
     * @throws IOException if the only buffers left could not be flushed
     */
    private boolean relieve() throws IOException {
        FileState fullest = null;
        long most = 0;
        long open = 0;
        for (var state : all()) {
            long bytes = state.windows().openBytes();
            open += bytes;
            if (bytes > most) {
                most = bytes;
                fullest = state;
            }
        }
        if (open < buffers.budget() / 4 && isWriting()) {
            return false;
        }
        if (fullest != null) {
            fullest.startFlush();
            return true;
        }
        for (var state : all()) {
            if (state.windows().hasFailed()) {
                state.flush();
                return true;
            }
        }
        return false;
    }

    /** Whether another piece may be loaded ahead now. If so, {@link #prefetch} must follow. */
    boolean mayPrefetch() {
        return prefetchers.tryAcquire();
    }

    /** Loads a range of a file into the cache in the background. A failure is left to the reader to meet. */
    void prefetch(FileState state, long from, long to) {
        try {
            ahead.execute(() -> {
                try {
                    state.prefetch(from, to);
                } catch (IOException | RuntimeException failed) {
                    // see above
                } finally {
                    prefetchers.release();
                }
            });
        } catch (RejectedExecutionException closing) {
            prefetchers.release();
        }
    }

    /** Runs a part of what another thread loads ahead; not while closing. */
    void help(Runnable task) {
        try {
            ahead.execute(task);
        } catch (RejectedExecutionException closing) {
            // the other thread does it
        }
    }

    /** The number of open files that are read sequentially. */
    AtomicInteger sequentialReaders() {
        return sequentialReaders;
    }

    FileTable table() {
        return table;
    }

    BlockIo blocks() {
        return blocks;
    }

    FrameReads frames() {
        return frames;
    }

    FrameCache cache() {
        return cache;
    }

    /**
     * Memory for a block of {@code size} bytes, which is stored if it is needed. Close it: others wait for that memory.
     */
    public PendingBlock draft(int size) throws IOException {
        return new PendingBlock(table, blocks.writer(), size);
    }

    /** Runs tasks that do not wait for each other. */
    public Executor executor() {
        return executor;
    }

    /** Nanoseconds since the epoch. */
    long now() {
        var moment = clock.instant();
        return moment.getEpochSecond() * 1_000_000_000L + moment.getNano();
    }

    @Override
    public void close() throws IOException {
        try (blocks; buffers; cache) {
            flushAll();
        }
    }
}
