package volsh.place;

import volsh.block.BlockKey;

/** A part of a block in a store: a shard by its number, or the {@link #WHOLE} block. */
public record Part(int shard, int store) {
    /** Not a shard but all of it. */
    public static final int WHOLE = -1;

    public boolean isWhole() {
        return shard == WHOLE;
    }

    /** What the object is called in its store. */
    public BlockKey key(long block) {
        var whole = BlockKey.of(block);
        return isWhole() ? whole : new BlockKey(whole.text() + "." + shard);
    }
}
