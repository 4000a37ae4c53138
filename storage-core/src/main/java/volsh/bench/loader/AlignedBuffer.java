package volsh.bench.loader;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import volsh.bench.Terms;

/** Off-heap memory into which files are read in large pieces. */
final class AlignedBuffer {
    private static final int PIECE = 256 << 10;

    private AlignedBuffer() {}

    static ByteBuffer allocate() {
        return allocate(PIECE);
    }

    /** At least this many bytes. */
    static ByteBuffer allocate(int bytes) {
        int whole = Math.ceilDiv(bytes, Terms.ALIGNMENT) * Terms.ALIGNMENT;
        return ByteBuffer.allocateDirect(whole + Terms.ALIGNMENT).alignedSlice(Terms.ALIGNMENT).limit(whole).slice()
                .order(ByteOrder.LITTLE_ENDIAN);
    }
}
