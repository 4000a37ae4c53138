package volsh.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** The blocks that a cache directory holds, and the bytes they take. A block takes about a hundred bytes of memory. Thread-safe. */
final class Population {
    private final Map<Long, CachedBlock> blocks = new HashMap<>();
    private final List<CachedBlock> order = new ArrayList<>();
    private long bytes;

    /** Null if it is not here. */
    synchronized CachedBlock find(long id) {
        return blocks.get(id);
    }

    /** The block, which is new and empty if it was not here. */
    synchronized CachedBlock findOrAdd(long id, long now) {
        return blocks.computeIfAbsent(id, missing -> {
            var added = new CachedBlock(missing, now);
            added.placeAt(order.size());
            order.add(added);
            return added;
        });
    }

    /** The file of the block has so many bytes now. */
    synchronized void resize(CachedBlock block, long size) {
        if (blocks.get(block.id()) == block) {
            bytes += size - block.size();
        }
        block.resize(size);
    }

    /** False if it was gone already. */
    synchronized boolean remove(CachedBlock block) {
        if (!blocks.remove(block.id(), block)) {
            return false;
        }
        var last = order.removeLast();
        if (last != block) {
            order.set(block.place(), last);
            last.placeAt(block.place());
        }
        bytes -= block.size();
        return true;
    }

    /** The idlest of a few, but for one; null if there is none. */
    synchronized CachedBlock idlest(RandomGenerator random, int sample, CachedBlock spared) {
        CachedBlock idlest = null;
        for (int i = 0; i < sample && !order.isEmpty(); i++) {
            var block = order.get(random.nextInt(order.size()));
            if (block != spared && (idlest == null || block.touched() < idlest.touched())) {
                idlest = block;
            }
        }
        return idlest;
    }

    synchronized List<CachedBlock> all() {
        return List.copyOf(order);
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized long size() {
        return order.size();
    }
}
