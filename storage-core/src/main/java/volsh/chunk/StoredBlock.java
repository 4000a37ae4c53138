package volsh.chunk;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import volsh.block.BlockKey;
import volsh.codec.BlockIdentity;
import volsh.codec.CorruptBlockException;
import volsh.codec.FrameIndex;
import volsh.fs.ImportedBlock;

/**
 * A block that metadata names: its identity, the index of its frames, and the number of its arrangement or, if it is
 * imported, its object. Frames of an imported block are made when it is read, so that caches and checks see no
 * difference.
 */
record StoredBlock(BlockIdentity identity, FrameIndex index, int arrangement, @Nullable ImportedBlock imported) {
    /**
     * Missing frames with at most this many bytes between them are one get: a second one to a distant store takes
     * longer.
     */
    private static final int GAP_MAX = 512 << 10;

    long id() {
        return identity.block();
    }

    StoredBlock(BlockIdentity identity, FrameIndex index, int arrangement) {
        this(identity, index, arrangement, null);
    }

    /** Its key in the store. */
    BlockKey key() {
        return BlockKey.of(id(), arrangement, index.storedSize());
    }

    /** Stored bytes from the start of frame {@code first} to the end of frame {@code last}. */
    int storedLength(int first, int last) {
        return index.storedOffset(last) + index.storedLength(last) - index.storedOffset(first);
    }

    /** The stored length of each of these frames. */
    int[] storedLengths(int first, int count) {
        return IntStream.range(first, first + count).map(index::storedLength).toArray();
    }

    /**
     * The last missing frame, up to {@code most}, that is fetched with the same get as the missing frame {@code first}.
     */
    int lastOfRun(int first, int most, IntPredicate isMissing) {
        int last = first;
        for (int i = first + 1; i <= most && index.storedOffset(i) - index.storedOffset(last + 1) <= GAP_MAX; i++) {
            last = isMissing.test(i) ? i : last;
        }
        return last;
    }

    /** @throws CorruptBlockException if the block has no such raw bytes */
    void check(int offset, int length) throws CorruptBlockException {
        if (offset + length > index.rawSize()) {
            throw new CorruptBlockException(
                    identity, "needs %d raw bytes, but the block has %d".formatted(offset + length, index.rawSize()));
        }
    }
}
