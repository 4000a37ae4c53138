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
import volsh.cache.FrameCache;
import volsh.cache.MemoryCache;
import volsh.codec.BlockCodec;
import volsh.codec.CorruptBlockException;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.FileTable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Unwritten;

/**
 * The bytes of all open files of a volume: one {@link FileState} per inode, shared by all who have it open, and one budget
 * of memory for what is not written yet. Who outruns the store waits; nobody runs out of memory.
 */
public final class Chunks implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMillis(200);
    /** How many pieces may be read ahead at a time: enough for a store that answers late, and memory is left for who waits. */
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
    private volatile Consumer<CorruptBlockException> damaged = _ -> { };
    private volatile boolean hasStranded;   // may be true when no file waits that nobody has open

    /** {@code executor} runs uploads and parallel reads, in any order; none of them waits for another. */
    public Chunks(FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, InstantSource clock) {
        this(table, blocks, settings, executor, executor, clock);
    }

    /** With another executor for reading ahead. */
    public Chunks(FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, Executor ahead, InstantSource clock) {
        this(table, blocks, settings, executor, ahead, clock, new MemoryCache(settings.cacheBytes(), BlockCodec.FRAME_LENGTH));
    }

    /** With a cache of its own, which it closes. */
    public Chunks(
            FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, InstantSource clock, FrameCache cache) {
        this(table, blocks, settings, executor, executor, clock, cache);
    }

    private Chunks(
            FileTable table, BlockIo blocks, ChunkSettings settings, Executor executor, Executor ahead, InstantSource clock, FrameCache cache) {
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

    /** From now on the listener is told of every read that failed because a block is damaged or missing. */
    public void onDamage(Consumer<CorruptBlockException> listener) {
        damaged = listener;
    }

    /** A read failed, for good. */
    public void failed(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CorruptBlockException corrupt) {
                damaged.accept(corrupt);
                return;
            }
        }
    }

    /** The state of this file; give it back with {@link #release}. */
    public FileState acquire(long ino) {
        int blockSize = blockSize(ino);
        synchronized (states) {
            var state = states.computeIfAbsent(ino, absent -> new FileState(absent, this, new ExtentView(viewed), blockSize));
            state.users++;
            return state;
        }
    }

    /** How long the blocks of this file are at most. What nobody can say now, the volume says. */
    private int blockSize(long ino) {
        var placement = blocks.placement();
        try {
            return placement.isSingle() || isOpen(ino) ? settings.blockSize() : placement.blockSize(ino, settings.blockSize());
        } catch (IOException unknown) {
            return settings.blockSize();
        }
    }

    /** The number of the policy by which the blocks of this file, or of files in this directory, are placed. */
    public int policy(long ino) throws IOException {
        return blocks.placement().policy(ino);
    }

    /** Has somebody this file, or are bytes of it still to be written? */
    public boolean isOpen(long ino) {
        synchronized (states) {
            return states.containsKey(ino);
        }
    }

    /** Are there bytes of this file that are not written out? */
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

    /** What unwritten bytes say of this file: nothing, if nobody has it open here. */
    public FileState.Pending pending(long ino) {
        var state = find(ino);
        return state == null ? FileState.Pending.NOTHING : state.windows().pending();
    }

    /** As {@link FileState#versionBehind}; of a file nobody has open here, {@code known}. */
    public long versionBehind(long ino, long known) {
        var state = find(ino);
        return state == null ? known : state.versionBehind(known);
    }

    private FileState find(long ino) {
        synchronized (states) {
            return states.get(ino);
        }
    }

    /** The metadata has this file in this version: who has it open here reads that, or a later one, from now on. */
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

    /** Has somebody told of parts of files that are crowded with extents. */
    public void onCrowded(Crowded listener) {
        crowds.tell(listener);
    }

    Crowds crowds() {
        return crowds;
    }

    /** Deletes a block that nobody came to name. If that fails it is garbage, which is found by its id; no byte of any file is concerned. */
    public void discard(BlockRow row) {
        try {
            blocks.writer().delete(row);
        } catch (IOException left) {
            // see above
        }
    }

    /** Removes blocks that nobody can read any more. */
    public void deleteAll(List<Long> dead) throws IOException {
        blocks.writer().deleteAll(dead);
        dead.forEach(cache::drop);
    }

    /** Grows whenever unwritten bytes have become written ones: who asked for both and finds it changed may have missed them. */
    public long commits() {
        return commits.get();
    }

    void countCommit() {
        commits.incrementAndGet();
    }

    /** One user less. A file with bytes that could not be written stays, so that a later flush can try again; unless it was removed. */
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

    /** Files were removed: bytes of those that nobody has open will never be read, so nobody need write them out. */
    public void forgetRemoved() {
        if (hasStranded) {
            hasStranded = false;   // first: one that comes meanwhile says so again
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

    /** Whether the file has no name any more and nobody has it open here. What nobody can say now counts as no. */
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

    /** Which bytes only this process has, file by file. */
    public List<Unwritten> unwritten() {
        return all().stream().map(state -> state.windows().unwritten(state.ino())).filter(Objects::nonNull).toList();
    }

    /**
     * For a process whose session was ended: drops the unwritten bytes of files that others changed or removed since, or of
     * {@code all} files, and returns which. Forgets the extents of open files, as their blocks were not kept.
     */
    public List<Unwritten> dropConflicting(boolean all) throws IOException {
        var conflicting = new LinkedHashMap<FileState, Unwritten>();
        for (var state : all()) {
            var waiting = state.windows().unwritten(state.ino());
            if (waiting != null && (all || isChangedElsewhere(state))) {
                conflicting.put(state, waiting);
            }
        }
        conflicting.keySet().forEach(this::lose);   // now that nothing can fail any more
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

    /** Tries once more to write out what could not be. Returns whether something was tried; trouble stays with the bytes. */
    public boolean retryFailed() {
        boolean tried = false;
        for (var state : all()) {
            if (state.windows().hasFailed()) {
                tried = true;
                try {
                    state.flush();
                } catch (IOException again) {
                    // its windows tell
                }
                synchronized (states) {
                    removeIfUnused(state);
                }
            }
        }
        return tried;
    }

    /** Drops all bytes that only this process has, for good. Whoever waits for them to be written hears of a failure. */
    public void discardUnwritten() {
        for (var state : all()) {
            state.windows().drop(true);
            synchronized (states) {
                removeIfUnused(state);
            }
        }
    }

    /** Writes everything out. Tries every file; throws the first failure. */
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
        return new Packer(table, blocks.writer());
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

    /** Memory for written bytes. When there is none left, starts writing the fullest buffers out and waits. */
    Slab buffer(int size) throws IOException {
        Slab slab = buffers.tryTake(size);
        while (slab == null) {
            boolean done = relieve() && !isWriting();   // else somebody will give memory back
            slab = done ? buffers.tryTake(size) : buffers.tryTake(size, PATIENCE);
        }
        return slab;
    }

    private boolean isWriting() {
        return all().stream().anyMatch(state -> state.windows().isWriting());
    }

    /**
     * Starts writing the fullest buffers out; false if there are none, or if most of the memory is on its way already: who writes from
     * front to back would else have the window that he is about to fill stored in two. @throws IOException if the only ones left could not
     * be written
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

    /** Is a thread free to read ahead? If so {@link #prefetch} must follow. */
    boolean mayPrefetch() {
        return prefetchers.tryAcquire();
    }

    /** Loads a range of a file into the cache, some time soon. If that fails, whoever reads it will hear of it. */
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

    /** How many open files are read from front to back. */
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

    /** Memory for a block of so many bytes, which is stored if it proves to be needed. Close it: others wait for that memory. */
    public PendingBlock draft(int size) throws IOException {
        return new PendingBlock(table, blocks.writer(), size);
    }

    /** Runs what does not wait for another of its kind. */
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
