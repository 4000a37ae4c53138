package volsh.chunk;

/**
 * How files are cut and buffered: bytes of a block, of the largest inline file, of memory for unwritten data, of memory for
 * data read lately (0: none), and how far at most it is read ahead of one reader (0: not at all).
 */
public record ChunkSettings(int blockSize, int inlineMax, long bufferBytes, long cacheBytes, long readaheadBytes) {
    /** Unless told otherwise. */
    public static final long READAHEAD = 64L << 20;

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
        if (cacheBytes < 0 || readaheadBytes < 0) {
            throw new IllegalArgumentException("no cache has %d bytes, nobody reads %d ahead".formatted(cacheBytes, readaheadBytes));
        }
    }

    public ChunkSettings withCache(long bytes) {
        return new ChunkSettings(blockSize, inlineMax, bufferBytes, bytes, readaheadBytes);
    }
}
