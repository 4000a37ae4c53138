package volsh.chunk;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import volsh.cache.CacheUsage;
import volsh.cache.Epochs;
import volsh.cache.FrameCache;
import volsh.cache.FrameKey;
import volsh.cache.disk.BlockSet;
import volsh.cache.disk.CompletedBlocks;
import volsh.cache.disk.DirectoryUsage;
import volsh.cache.disk.DiskTier;
import volsh.cache.disk.DiskTierRequests;
import volsh.fs.BlockRow;

/**
 * The caches of an open volume, for code that manages or measures them: decoded frames in memory, and stored frames in
 * cache directories. Reading files does not go through this class. Thread-safe; valid until the volume is closed.
 */
public final class Caches {
    private final Chunks chunks;
    private final FrameCache memory;
    private final DiskTier disk;
    private final BlockReader reader;
    private final WholeBlocks whole;

    Caches(Chunks chunks, FrameCache memory, DiskTier disk, BlockReader reader, WholeBlocks whole) {
        this.chunks = chunks;
        this.memory = memory;
        this.disk = disk;
        this.reader = reader;
        this.whole = whole;
    }

    // ---- memory

    /** What the memory cache holds, and its hits and misses so far. */
    public CacheUsage memory() {
        return memory.usage();
    }

    /** Removes blocks from the memory cache. They may still be read, and are loaded again then. */
    public void forget(BlockSet blocks) {
        blocks.forEach(memory::drop);
    }

    /** Loads a file into the memory cache, ahead of its reader; returns the bytes that did not fit. */
    public long prefetch(long ino) throws IOException {
        var state = chunks.acquire(ino);
        try {
            return state.prefetch(0, Long.MAX_VALUE);
        } finally {
            chunks.release(state);
        }
    }

    // ---- cache directories

    /** What each cache directory holds and has done; empty without cache directories. */
    public List<DirectoryUsage> directories() {
        return disk.usage();
    }

    /** Whether raw bytes {@code [from, to)} of the block are in memory or in a cache directory: no store is asked. */
    public boolean has(BlockRow row, long from, long to) throws IOException {
        var block = reader.describe(row);
        int first = block.index().frameAt(from);
        boolean[] here = disk.upkeep().has(block.id(), first, block.index().frameAt(to - 1) - first + 1);
        for (int i = 0; i < here.length; i++) {
            if (!here[i] && !memory.has(new FrameKey(block.id(), first + i))) {
                return false;
            }
        }
        return true;
    }

    /** Pins, eviction, quotas: the requests that people make of cache directories. */
    public DiskTierRequests requests() {
        return disk.upkeep();
    }

    /** Has the cache directories find out which of their files other processes deleted. */
    public void recount() {
        disk.recount();
    }

    /** Loads blocks into the cache directories, with at most {@code bytes} of memory. Close it. */
    public TierLoad load(long bytes) {
        return new TierLoad(reader, bytes);
    }

    /** Reports a block that could not be loaded, if it is damaged or missing, as a failed read of it is reported. */
    public void notLoaded(IOException failure) {
        chunks.failed(failure);
    }

    // ---- what reading has cost

    /** How each cache has been read: where epochs begin and end. */
    public List<Epochs> epochs() {
        return Stream.concat(memory.epochs().stream(), disk.epochs().stream()).toList();
    }

    /** Blocks fetched as a whole because small reads kept missing in them. */
    public CompletedBlocks completed() {
        return whole.completed();
    }

    /** How often a block was read again because the store returned damaged bytes, too few, or none. */
    public long rereads() {
        return reader.recovery().rereads();
    }

    /** Time spent checking and decoding blocks, summed over all threads. */
    public long decodeNanos() {
        return reader.decodeNanos();
    }
}
