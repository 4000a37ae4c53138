package volsh.cache.disk;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import volsh.cache.Epochs;

/**
 * Keeps stored frames on local disks, below the memory cache and nearer than the store. May forget any frame at any
 * time and is never the only copy. No call fails: a failing disk is bypassed and counted. Thread-safe.
 */
public interface DiskTier extends AutoCloseable {
    /** Keeps nothing. */
    DiskTier NONE = new DiskTier() {};

    /** Whether it keeps anything at all. */
    default boolean isOn() {
        return false;
    }

    /**
     * Reads the frames of a block from {@code first} on, which have these lengths, into {@code stored}, back to back
     * from its position on. Returns which of them were cached, with exactly the bytes that were offered; the places of
     * the others may hold anything.
     */
    default boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
        return new boolean[lengths.length];
    }

    /**
     * Reads the bytes of a frame of {@code length} from {@code from} on, exactly those that were offered, without the
     * rest of it; false if it is not cached, or this would be no faster.
     */
    default boolean readPiece(long block, int frame, int length, int from, ByteBuffer target) {
        return false;
    }

    /**
     * The offset within a page at which the frame begins on the disk, if it is cached: a large read to memory with the
     * same offset needs no copy. Else a negative number.
     */
    default int skew(long block, int frame) {
        return -1;
    }

    /**
     * Offers frames of a block that has {@code frameCount} of them, from {@code first} on; a null is left out. They are
     * copied, and written later if there is space.
     */
    default void offer(long block, int frameCount, int first, @Nullable ByteBuffer[] stored) {}

    /** Forgets a block. */
    default void drop(long block) {}

    /** Requests of people, rather than of readers. */
    default DiskTierRequests upkeep() {
        return DiskTierRequests.NONE;
    }

    /** Finds out in the background which files other processes deleted. */
    default void recount() {}

    /** What each directory has done and holds; empty if there are none. */
    default List<DirectoryUsage> usage() {
        return List.of();
    }

    /** How the data of each directory is read. */
    default List<Epochs> epochs() {
        return List.of();
    }

    @Override
    default void close() {}
}
