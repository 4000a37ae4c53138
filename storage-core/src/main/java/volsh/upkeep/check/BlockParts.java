package volsh.upkeep.check;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import volsh.block.BlockKey;
import volsh.fs.BlockRow;

/** The copies and shards of blocks on several stores, to compare them with the metadata. Thread-safe. */
public interface BlockParts {
    /** Receives each object of a block: its store, its shard ({@link #WHOLE}: all of it), its length. */
    interface Sink {
        void take(long block, int store, int shard, long size) throws IOException;
    }

    int WHOLE = -1;

    /** Everything below {@code blocks/} in every store that answers. */
    void list(Sink sink) throws IOException;

    /** The object of a block that a store should have. */
    record Wanted(int store, int shard, long length) {}

    /** The objects that a block should have. @throws IOException if its layout has no row */
    List<Wanted> of(BlockRow row) throws IOException;

    /** Why stores could not be checked, by number. */
    Map<Integer, String> away();

    String store(int number);

    /**
     * The condition of a block: descriptions of its parts that are missing, damaged, and could not be read although
     * their stores answer; how many could not be checked in all; and whether the others are enough to read it.
     */
    record Look(List<String> missing, List<String> damaged, List<String> unseen, int unknown, boolean isRight) {}

    /** Checks all stores of a block; {@code deep}: reads and verifies every byte. */
    Look look(BlockRow row, boolean deep) throws IOException;

    /** Rewrites missing or damaged parts from the rest. False if nothing could be repaired. */
    boolean mend(BlockRow row) throws IOException;

    /** The key of a block without a row, with its apparent location; empty if no store has anything. */
    Optional<BlockKey> find(long block) throws IOException;
}
