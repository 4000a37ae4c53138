package volsh.cache.disk;

import java.nio.ByteBuffer;
import java.util.List;
import volsh.cache.Epochs;

/**
 * Keeps stored frames on local disks, below those in memory and nearer than the store. It may forget any frame at any time and
 * is never the only copy. No call fails: a disk in trouble is by-passed and counted. Thread-safe.
 */
public interface DiskTier extends AutoCloseable {
    /** Keeps nothing. */
    DiskTier NONE = new DiskTier() {};

    /** False if it never keeps anything. */
    default boolean isOn() {
        return false;
    }

    /**
     * Reads the frames of a block from {@code first} on, which have these lengths, each to its place in {@code stored}, where they lie back to
     * back from its position on. Says which are there, with the very bytes that were offered; in the places of others may be anything.
     */
    default boolean[] read(long block, int first, int[] lengths, ByteBuffer stored) {
        return new boolean[lengths.length];
    }

    /**
     * Fills the target with the bytes of a frame of {@code length} from {@code from} on, the very ones that were offered, without reading the rest
     * of it; false if it is not there, or this would be no gain.
     */
    default boolean readPiece(long block, int frame, int length, int from, ByteBuffer target) {
        return false;
    }

    /**
     * Where in a page the frame begins on the disk, if it is there: many bytes that begin there in a page of memory can be read without being
     * copied. Else a negative number.
     */
    default int skew(long block, int frame) {
        return -1;
    }

    /**
     * Offers frames of a block that has {@code frameCount} of them, from {@code first} on; a null is none. They are copied, and
     * kept some time soon if there is room.
     */
    default void offer(long block, int frameCount, int first, ByteBuffer[] stored) {}

    /** Forgets a block. */
    default void drop(long block) {}

    /** What people ask of it. */
    default DiskTierRequests upkeep() {
        return DiskTierRequests.NONE;
    }

    /** Others may have deleted files: finds out, some time soon, what is still here. */
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
