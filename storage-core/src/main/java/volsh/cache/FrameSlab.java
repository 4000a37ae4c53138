package volsh.cache;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A piece of memory divided into slots of one size, or not divided while it is empty. Guarded by the lock of the cache.
 */
final class FrameSlab {
    private final MemorySegment memory;
    private int slotSize;
    private int[] free = {};
    private int freeCount;
    private @Nullable CachedFrame[] frames = {};

    FrameSlab(MemorySegment memory) {
        this.memory = memory;
    }

    /** A place in a slab. */
    record Slot(FrameSlab slab, int number) {
        int size() {
            return slab.slotSize;
        }

        /** The memory of the slot. */
        ByteBuffer bytes(int length) {
            return slab.memory.asSlice((long) number * slab.slotSize, length).asByteBuffer();
        }

        void holds(CachedFrame frame) {
            slab.frames[number] = frame;
        }
    }

    /** Divides the empty slab into slots of another size. */
    void cut(int newSlotSize) {
        slotSize = newSlotSize;
        int count = (int) (memory.byteSize() / newSlotSize);
        frames = new @Nullable CachedFrame[count];
        free = new int[count];
        freeCount = count;
        for (int i = 0; i < count; i++) {
            free[i] = count - 1 - i;
        }
    }

    int slotSize() {
        return slotSize;
    }

    @Nullable CachedFrame[] frames() {
        return frames;
    }

    boolean isFull() {
        return freeCount == 0;
    }

    boolean isEmpty() {
        return freeCount == free.length;
    }

    Slot take() {
        return new Slot(this, free[--freeCount]);
    }

    void giveBack(Slot slot) {
        frames[slot.number()] = null;
        free[freeCount++] = slot.number();
    }
}
