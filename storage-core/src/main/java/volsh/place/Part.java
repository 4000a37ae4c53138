package volsh.place;

import java.util.Optional;
import java.util.regex.Pattern;
import volsh.block.BlockKey;

/** A part of a block in a store: a shard by its number, or the {@link #WHOLE} block. */
public record Part(int shard, int store) {
    /** The whole block rather than a shard. */
    public static final int WHOLE = -1;

    private static final Pattern SHARD = Pattern.compile("0|[1-9][0-9]{0,2}");

    /** A part of a block, parsed from the name of its object. */
    public record Named(long block, Part part) {}

    /** The part of a block that the object of this name in this store is; empty if it is none. */
    public static Optional<Named> named(int store, BlockKey key) {
        int dot = key.text().indexOf('.');
        var whole = dot < 0 ? key : new BlockKey(key.text().substring(0, dot));
        String shard = dot < 0 ? "" : key.text().substring(dot + 1);
        if (whole.block().isEmpty() || dot >= 0 && !SHARD.matcher(shard).matches()) {
            return Optional.empty();
        }
        return Optional.of(new Named(whole.block().getAsLong(),
                new Part(dot < 0 ? WHOLE : Integer.parseInt(shard), store)));
    }

    public boolean isWhole() {
        return shard == WHOLE;
    }

    /** The name of the object in its store. */
    public BlockKey key(long block) {
        var whole = BlockKey.of(block);
        return isWhole() ? whole : new BlockKey(whole.text() + "." + shard);
    }
}
