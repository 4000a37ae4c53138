package volsh.chunk;

/**
 * How files are cut and buffered: bytes of a block, of the largest inline file, of memory for unwritten data, and of memory
 * for data read lately (0: none).
 */
public record ChunkSettings(int blockSize, int inlineMax, long bufferBytes, long cacheBytes) {
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
        if (cacheBytes < 0) {
            throw new IllegalArgumentException("no cache has %d bytes".formatted(cacheBytes));
        }
    }

    public ChunkSettings withCache(long bytes) {
        return new ChunkSettings(blockSize, inlineMax, bufferBytes, bytes);
    }
}
