package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What people ask of a disk tier, rather than readers: to have something before it is read, to hold on to it, to let go of it.
 * Thread-safe; calls may wait for the disk.
 */
public interface DiskTierRequests {
    /** Of a tier that keeps nothing. */
    DiskTierRequests NONE = new DiskTierRequests() {};

    /** A claim to room, from now on: what is asked for after this makes none for it. */
    default KeepRequest claim(boolean ahead) {
        return new KeepRequest(List.of(0L), ahead);
    }

    /**
     * Says which of the frames are here, by the table of the block's file: cheap, no frame is read. The block counts as asked for
     * now.
     */
    default boolean[] has(long block, int first, int count) {
        return new boolean[count];
    }

    /** Keeps frames, which lie back to back in {@code stored}, from {@code first} on; returns when they are written. */
    default RetainedFrames keep(long block, int frameCount, int first, int[] lengths, ByteBuffer stored, KeepRequest claim) {
        return RetainedFrames.NO_DISK;
    }

    /** Reads the frames of a block that are here and drops it if one is damaged; returns whether all were right. */
    default boolean verify(long block) {
        return true;
    }

    /** Forgets blocks that are not pinned; returns the bytes that are free now. */
    default long evict(BlockSet blocks) {
        return 0;
    }

    /** Forgets those of the blocks that are not pinned and came here before that moment; returns them, with the bytes that are free now. */
    default BlockSet expire(BlockSet blocks, Instant before) {
        return BlockSet.EMPTY;
    }

    /** Pins blocks, here or to come, instead of what was pinned for the same path. @throws PinTooLargeException */
    default void pin(Pin pin) throws IOException {
        throw new IOException("there is no cache directory to pin in");
    }

    /** Removes the pin of this path; false if there is none. */
    default boolean unpin(String path) throws IOException {
        return false;
    }

    default List<Pin> pins() {
        return List.of();
    }

    /** Has pins end whose time is over, some time soon. Costs next to nothing otherwise. */
    default void expirePins() {}

    /**
     * Gives a directory another quota, and evicts down to it before this returns. Pinned blocks stay.
     *
     * @throws PinTooLargeException if what is pinned would no longer fit
     */
    default void resize(Path directory, long quotaBytes) throws IOException {
        throw new IOException("%s is no cache directory here".formatted(directory));
    }
}
