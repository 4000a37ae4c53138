package volsh.cache.disk;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/** Blocks and the bytes each takes in a cache, every block once. Takes twelve bytes of memory for each. Immutable. */
public final class BlockSet {
    public static final BlockSet EMPTY = new BlockSet(new long[0], new int[0]);

    private final long[] blocks;   // sorted
    private final int[] sizes;

    private BlockSet(long[] blocks, int[] sizes) {
        this.blocks = blocks;
        this.sizes = sizes;
    }

    /** Collects blocks in any order. */
    public static final class Builder {
        private final Map<Long, Integer> sizes = new TreeMap<>();

        /** Adds a block; if it is already in the set, its bytes stay as they are. */
        public Builder add(long block, int bytes) {
            sizes.putIfAbsent(block, bytes);
            return this;
        }

        public BlockSet build() {
            return new BlockSet(sizes.keySet().stream().mapToLong(Long::longValue).toArray(),
                    sizes.values().stream().mapToInt(Integer::intValue).toArray());
        }
    }

    /** The size of the file of a block with all its frames. */
    public static int bytesInCache(int frameCount, long storedSize) {
        return Math.toIntExact(BlockFile.dataStart(frameCount) + storedSize);
    }

    public boolean contains(long block) {
        return Arrays.binarySearch(blocks, block) >= 0;
    }

    public int count() {
        return blocks.length;
    }

    public long bytes() {
        return bytes(block -> true);
    }

    /** The bytes of the blocks that {@code counted} accepts. */
    public long bytes(LongPredicate counted) {
        long sum = 0;
        for (int i = 0; i < blocks.length; i++) {
            sum += counted.test(blocks[i]) ? sizes[i] : 0;
        }
        return sum;
    }

    public BlockSet where(LongPredicate kept) {
        var chosen = new BlockSet.Builder();
        for (int i = 0; i < blocks.length; i++) {
            if (kept.test(blocks[i])) {
                chosen.add(blocks[i], sizes[i]);
            }
        }
        return chosen.build();
    }

    public BlockSet plus(BlockSet others) {
        var all = new BlockSet.Builder();
        forEach(all::add);
        others.forEach(all::add);
        return all.build();
    }

    /** In order. */
    public void forEach(LongConsumer consumer) {
        Arrays.stream(blocks).forEach(consumer);
    }

    /** Visits a block and its bytes. */
    interface Visitor {
        void visit(long block, int bytes);
    }

    void forEach(Visitor visitor) {
        for (int i = 0; i < blocks.length; i++) {
            visitor.visit(blocks[i], sizes[i]);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BlockSet that && Arrays.equals(blocks, that.blocks) && Arrays.equals(sizes, that.sizes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(blocks);
    }

    @Override
    public String toString() {
        return "%d blocks, %d bytes".formatted(count(), bytes());
    }
}
