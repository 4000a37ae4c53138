package volsh.cache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a cache: one region within a budget, divided into slabs. A slab is divided into slots of a power of two
 * when it is first needed; an empty one may be divided anew. Guarded by the lock of the cache.
 */
final class SlabMemory implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int SLAB_MAX = 1 << 20;
    private static final int SLABS_MIN = 8;
    private static final int FRAME = 128 << 10;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment region;
    private final int slabSize;
    private final long slabsMax;
    private final ArrayDeque<FrameSlab> empty = new ArrayDeque<>();
    private final List<LinkedHashSet<FrameSlab>> roomy = new ArrayList<>();   // by size: slabs with a free slot
    private long slabs;
    private long used;

    SlabMemory(long budget) {
        long many = Long.highestOneBit(budget / SLABS_MIN);
        long few = Math.min(FRAME, Long.highestOneBit(budget));   // a small cache that still has room for a frame
        this.slabSize = Math.clamp(Math.max(many, few), PAGE, SLAB_MAX);
        this.slabsMax = budget / slabSize;
        this.region = slabsMax == 0 ? MemorySegment.NULL : Region.map(arena, slabsMax * slabSize);
        for (int size = PAGE; size <= slabSize; size *= 2) {
            roomy.add(new LinkedHashSet<>());
        }
    }

    /** The size of the largest frame that fits. */
    int largest() {
        return slabSize;
    }

    /** The size of the slot of a frame. */
    static int slotSize(int length) {
        return length <= PAGE ? PAGE : Integer.highestOneBit(length - 1) << 1;
    }

    private SequencedSet<FrameSlab> roomyFor(int slotSize) {
        return roomy.get(Integer.numberOfTrailingZeros(slotSize / PAGE));
    }

    /** A slot for a frame, or null if there is none. */
    FrameSlab.@Nullable Slot take(int length) {
        int slotSize = slotSize(length);
        var slabsWithRoom = roomyFor(slotSize);
        if (slabsWithRoom.isEmpty() && !cut(slotSize)) {
            return null;
        }
        var slab = slabsWithRoom.getFirst();
        var slot = slab.take();
        if (slab.isFull()) {
            slabsWithRoom.remove(slab);
        }
        used += slotSize;
        return slot;
    }

    private boolean cut(int slotSize) {
        var slab = empty.poll();
        if (slab == null) {
            if (slabs == slabsMax) {
                return false;
            }
            slab = new FrameSlab(region.asSlice(slabs++ * slabSize, slabSize));
        }
        slab.cut(slotSize);
        roomyFor(slotSize).add(slab);
        return true;
    }

    void giveBack(FrameSlab.Slot slot) {
        var slab = slot.slab();
        slab.giveBack(slot);
        used -= slab.slotSize();
        if (slab.isEmpty()) {
            roomyFor(slab.slotSize()).remove(slab);
            empty.add(slab);
        } else {
            roomyFor(slab.slotSize()).add(slab);
        }
    }

    /** Bytes of the slots in use. */
    long used() {
        return used;
    }

    @Override
    public void close() {
        arena.close();
    }
}
