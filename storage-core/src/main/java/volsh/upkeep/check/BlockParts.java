package volsh.upkeep.check;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.block.BlockKey;
import volsh.fs.BlockRow;

/** The copies and shards of blocks that lie on several stores, for those who compare them with the metadata. Thread-safe. */
public interface BlockParts {
    /** Told of each object of a block: in which store, which shard of it ({@link #WHOLE}: all of it), how long. */
    interface Sink {
        void take(long block, int store, int shard, long size) throws IOException;
    }

    int WHOLE = -1;

    /** Everything below {@code blocks/} in every store that answers. */
    void list(Sink sink) throws IOException;

    /** The object of a block that a store should have. */
    record Wanted(int store, int shard, long length) {}

    /** What a block should have. @throws IOException if nobody knows, as its layout is not written down */
    List<Wanted> of(BlockRow row) throws IOException;

    /** Why stores were not looked at, by their numbers. */
    Map<Integer, String> away();

    String store(int number);

    /**
     * How a block is: which parts of it are missing, damaged, and could not be looked at although their stores are there, in a few words
     * each; how many could not be looked at in all; and whether the others are enough to read it.
     */
    record Look(List<String> missing, List<String> damaged, List<String> unseen, int unknown, boolean isRight) {}

    /** Asks all stores of a block; {@code deep}: reads and checks every byte. */
    Look look(BlockRow row, boolean deep) throws IOException;

    /** Makes what is missing or damaged anew from the rest. False if nothing could be. */
    boolean mend(BlockRow row) throws IOException;

    /** The key of a block of which nothing is known, with where it seems to be; empty if no store has anything. */
    Optional<BlockKey> find(long block) throws IOException;
}
