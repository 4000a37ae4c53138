package volsh.cache.disk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The blocks in a cache directory, and the bytes they take. Pinned ones are kept apart, so that a search for one to
 * evict does not meet them. A block takes about a hundred bytes of memory. Thread-safe.
 */
final class Population {
    private final Map<Long, CachedBlock> blocks = new HashMap<>();
    private final List<CachedBlock> order = new ArrayList<>();
    private final LongPredicate pinned;
    private long bytes;

    Population(LongPredicate pinned) {
        this.pinned = pinned;
    }

    /** The block; null if it is not cached. */
    synchronized @Nullable CachedBlock find(long id) {
        return blocks.get(id);
    }

    /** The block; a new and empty one if it is not cached. */
    synchronized CachedBlock findOrAdd(long id, long now) {
        return blocks.computeIfAbsent(id, missing -> {
            var added = new CachedBlock(missing, now);
            settle(added);
            return added;
        });
    }

    /** Whether this block is pinned may have changed. */
    synchronized void settle(long id) {
        var block = blocks.get(id);
        if (block != null) {
            settle(block);
        }
    }

    private void settle(CachedBlock block) {
        boolean aside = block.place() == CachedBlock.PINNED;
        if (pinned.test(block.id()) == aside) {
            return;
        }
        if (aside) {
            block.placeAt(order.size());
            order.add(block);
        } else {
            stepOut(block);
        }
    }

    private void stepOut(CachedBlock block) {
        var last = order.removeLast();
        if (last != block) {
            order.set(block.place(), last);
            last.placeAt(block.place());
        }
        block.placeAt(CachedBlock.PINNED);
    }

    /** The file of the block has another size. */
    synchronized void resize(CachedBlock block, long size) {
        if (blocks.get(block.id()) == block) {
            bytes += size - block.size();
        }
        block.resize(size);
    }

    /** Removes the block; false if it was already gone. */
    synchronized boolean remove(CachedBlock block) {
        if (!blocks.remove(block.id(), block)) {
            return false;
        }
        if (block.place() != CachedBlock.PINNED) {
            stepOut(block);
        }
        bytes -= block.size();
        return true;
    }

    /**
     * The least recently read of a few blocks, without {@code spared} and those loaded ahead since {@code overdue};
     * null if there is none.
     */
    synchronized @Nullable CachedBlock idlest(RandomGenerator random, int sample, @Nullable CachedBlock spared,
            long overdue) {
        CachedBlock idlest = null;
        for (int i = 0; i < sample && !order.isEmpty(); i++) {
            var block = order.get(random.nextInt(order.size()));
            boolean awaited = block.isUnread() && block.touched() >= overdue;
            if (block != spared && !awaited && (idlest == null || block.touched() < idlest.touched())) {
                idlest = block;
            }
        }
        return idlest;
    }

    synchronized List<CachedBlock> all() {
        return List.copyOf(blocks.values());
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized long size() {
        return blocks.size();
    }
}
