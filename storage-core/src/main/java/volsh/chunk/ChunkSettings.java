package volsh.chunk;

/**
 * How files are cut and buffered: bytes of a block, of the largest inline file, of memory for unwritten data, of memory for
 * data read lately (0: none), how far at most it is read ahead of one reader (0: not at all), and below how many bytes the
 * last extent of a file is stored again with what is appended to it (0: never).
 */
public record ChunkSettings(int blockSize, int inlineMax, long bufferBytes, long cacheBytes, long readaheadBytes, int tailBytes) {
    /** Unless told otherwise. */
    public static final long READAHEAD = 64L << 20;
    /** Unless told otherwise. */
    public static final int TAIL = 128 << 10;

    private static final int CROWD_SPAN_MAX = 4 << 20;
    private static final int CROWD_MAX = 32;
    private static final int CROWD_MIN = 4;
    private static final int CROWD_BYTES = 16 << 10;

    /** Rewrites tails as usual. */
    public ChunkSettings(int blockSize, int inlineMax, long bufferBytes, long cacheBytes, long readaheadBytes) {
        this(blockSize, inlineMax, bufferBytes, cacheBytes, readaheadBytes, TAIL);
    }

    /** Reads ahead as usual. */
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
            throw new IllegalArgumentException("buffers must hold two blocks of %d: %d".formatted(blockSize, bufferBytes));
        }
        if (cacheBytes < 0 || readaheadBytes < 0 || tailBytes < 0) {
            throw new IllegalArgumentException(
                    "no cache has %d bytes, nobody reads %d ahead, no tail has %d".formatted(cacheBytes, readaheadBytes, tailBytes));
        }
    }

    public ChunkSettings withCache(long bytes) {
        return new ChunkSettings(blockSize, inlineMax, bufferBytes, bytes, readaheadBytes, tailBytes);
    }

    public ChunkSettings withTail(int bytes) {
        return new ChunkSettings(blockSize, inlineMax, bufferBytes, cacheBytes, readaheadBytes, bytes);
    }

    /** Parts of this many bytes of a file are looked at as a whole: a block, at most 4 MiB. */
    public int crowdSpan() {
        return Math.min(blockSize, CROWD_SPAN_MAX);
    }

    /** A part with more extents than this is crowded: 32, of a small block one for each 16 KiB. */
    int crowdMax() {
        return Math.clamp(crowdSpan() / CROWD_BYTES, CROWD_MIN, CROWD_MAX);
    }
}
