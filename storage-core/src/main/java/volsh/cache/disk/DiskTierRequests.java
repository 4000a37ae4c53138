package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Requests of people to a disk tier, rather than of readers: to load, pin, evict and verify blocks. Thread-safe; calls
 * may wait for the disk.
 */
public interface DiskTierRequests {
    /** Of a tier that keeps nothing. */
    DiskTierRequests NONE = new DiskTierRequests() {};

    /** A claim to space: blocks that were not read since now may be evicted for it. */
    default KeepRequest claim(boolean ahead) {
        return new KeepRequest(List.of(0L), ahead);
    }

    /**
     * Which of the frames are cached, by the table of the file: cheap, no frame is read. Counts as a read of the block.
     */
    default boolean[] has(long block, int first, int count) {
        return new boolean[count];
    }

    /** Keeps frames, which lie back to back in {@code stored}, from {@code first} on; returns when they are written. */
    default RetainedFrames keep(long block, int frameCount, int first, int[] lengths, ByteBuffer stored,
            KeepRequest claim) {
        return RetainedFrames.NO_DISK;
    }

    /** Reads the cached frames of a block and drops the block if one is damaged; returns whether all were right. */
    default boolean verify(long block) {
        return true;
    }

    /** Evicts blocks that are not pinned; returns the bytes that became free. */
    default long evict(BlockSet blocks) {
        return 0;
    }

    /**
     * Evicts blocks that are not pinned and were cached before that moment; returns them, with the bytes that became
     * free.
     */
    default BlockSet expire(BlockSet blocks, Instant before) {
        return BlockSet.EMPTY;
    }

    /**
     * Pins blocks, cached or not yet, and replaces the pin of the same path.
     *
     * @throws PinTooLargeException if they do not fit
     */
    default void pin(Pin pin) throws IOException {
        throw new IOException("pinning needs a cache directory, and there is none");
    }

    /** Removes the pin of this path; false if there is none. */
    default boolean unpin(String path) throws IOException {
        return false;
    }

    default List<Pin> pins() {
        return List.of();
    }

    /** Ends expired pins in the background. Costs next to nothing if there are none. */
    default void expirePins() {}

    /**
     * Gives a directory another quota, and evicts down to it before this returns. Pinned blocks stay.
     *
     * @throws PinTooLargeException if what is pinned would no longer fit
     */
    default void resize(Path directory, long quotaBytes) throws IOException {
        throw new IOException("%s is not a cache directory of this mount".formatted(directory));
    }
}
