package volsh.fuse;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The processors on which threads of this process may run. A thread inherits them from the one that starts it. Calls
 * through one object must come from one thread at a time.
 */
public final class ProcessorAffinity {
    private static final int BYTES = 1024;   // Linux supports no more than 8,192 processors
    private static final FunctionDescriptor SHAPE = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle GET = Native.call("sched_getaffinity", SHAPE);
    private static final MethodHandle SET = Native.call("sched_setaffinity", SHAPE);

    private final MemorySegment state;
    private final MemorySegment allowed;
    private final MemorySegment single;

    /** Remembers the processors of the calling thread; {@code arena} outlives this. */
    public ProcessorAffinity(Arena arena) {
        state = Native.state(arena);
        allowed = arena.allocate(BYTES, Long.BYTES);
        single = arena.allocate(BYTES, Long.BYTES);
        call(GET, 0, allowed);
    }

    private boolean call(MethodHandle function, int thread, MemorySegment processors) {
        try {
            return (int) function.invokeExact(state, thread, (long) BYTES, processors) >= 0;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private boolean isAllowed(int processor) {
        return processor >= 0 && processor < BYTES * Byte.SIZE
                && (allowed.get(JAVA_BYTE, processor / Byte.SIZE) & 1 << processor % Byte.SIZE) != 0;
    }

    /** Keeps the calling thread on one of the remembered processors; false if that cannot be. */
    public boolean pin(int processor) {
        if (!isAllowed(processor)) {
            return false;
        }
        single.fill((byte) 0);
        single.set(JAVA_BYTE, processor / Byte.SIZE, (byte) (1 << processor % Byte.SIZE));
        return call(SET, 0, single);
    }

    /** Moves the calling thread to the other remembered processors, where it stays; no effect if there are none. */
    public void leave(int processor) {
        if (isAllowed(processor)) {
            single.copyFrom(allowed);
            byte others = single.get(JAVA_BYTE, processor / Byte.SIZE);
            single.set(JAVA_BYTE, processor / Byte.SIZE, (byte) (others & ~(1 << processor % Byte.SIZE)));
            call(SET, 0, single);
        }
    }

    /** Lets a thread, 0 for the calling one, run on all remembered processors again. No effect if it has ended. */
    public void restore(int thread) {
        call(SET, thread, allowed);
    }
}
