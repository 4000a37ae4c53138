package volsh.chunk;

/**
 * How files are divided into blocks and buffered, in bytes: the block size, the largest inline file, the memory for
 * unwritten data, the memory cache (0: none), the largest readahead of one reader (0: none), and the size below which
 * the last extent of a file is stored again with what is appended to it (0: never).
 */
public record ChunkSettings(int blockSize, int inlineMax, long bufferBytes, long cacheBytes, long readaheadBytes,
        int tailBytes) {
    /** The default readahead. */
    public static final long READAHEAD = 64L << 20;
    /** The default size below which tails are rewritten. */
    public static final int TAIL = 128 << 10;

    private static final int CROWD_SPAN_MAX = 4 << 20;
    private static final int CROWD_MAX = 32;
    private static final int CROWD_MIN = 4;
    private static final int CROWD_BYTES = 16 << 10;

    /** With the default for tails. */
    public ChunkSettings(int blockSize, int inlineMax, long bufferBytes, long cacheBytes, long readaheadBytes) {
        this(blockSize, inlineMax, bufferBytes, cacheBytes, readaheadBytes, TAIL);
    }

    /** With the default readahead. */
    public ChunkSettings(int blockSize, int inlineMax, long bufferBytes, long cacheBytes) {
        this(blockSize, inlineMax, bufferBytes, cacheBytes, READAHEAD);
    }

    /** Without a cache. */
    public ChunkSettings(int blockSize, int inlineMax, long bufferBytes) {
        this(blockSize, inlineMax, bufferBytes, 0);
    }

    public ChunkSettings {
        if (Integer.bitCount(blockSize) != 1 || blockSize < 1 << 12) {
            throw new IllegalArgumentException("block size must be a power of two of at least 4 KiB: " + blockSize);
        }
        if (inlineMax < 0 || inlineMax > 64 << 10 || inlineMax > blockSize) {
            throw new IllegalArgumentException("inline files have at most 64 KiB and fit a block: " + inlineMax);
        }
        if (bufferBytes < 2L * Slabs.capacity(blockSize)) {
            throw new IllegalArgumentException("buffers must hold two blocks of %d: %d"
                    .formatted(blockSize, bufferBytes));
        }
        if (cacheBytes < 0 || readaheadBytes < 0 || tailBytes < 0) {
            throw new IllegalArgumentException(
                    "sizes must not be negative: cache %d, readahead %d, tail %d"
                            .formatted(cacheBytes, readaheadBytes, tailBytes));
        }
    }

    public ChunkSettings withCache(long bytes) {
        return new ChunkSettings(blockSize, inlineMax, bufferBytes, bytes, readaheadBytes, tailBytes);
    }

    public ChunkSettings withTail(int bytes) {
        return new ChunkSettings(blockSize, inlineMax, bufferBytes, cacheBytes, readaheadBytes, bytes);
    }

    /** The length of the parts of a file that are merged: a block, at most 4 MiB. */
    public int crowdSpan() {
        return Math.min(blockSize, CROWD_SPAN_MAX);
    }

    /** A part with more extents is crowded: 32, or in small blocks one for each 16 KiB. */
    int crowdMax() {
        return Math.clamp(crowdSpan() / CROWD_BYTES, CROWD_MIN, CROWD_MAX);
    }
}
