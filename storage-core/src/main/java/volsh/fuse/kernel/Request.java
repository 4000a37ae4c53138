package volsh.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.Native;

/**
 * The request a worker has just read. Its memory is laid out so that the bytes of a WRITE, which follow 80 bytes of headers,
 * begin on a page.
 */
final class Request {
    /** Bytes before the body. */
    static final int HEADER = 40;
    /** Bytes of the largest READ or WRITE. */
    static final int PAYLOAD_MAX = 1 << 20;

    private static final int PAGE = 4096;
    private static final short POLLIN = 1;
    private static final int WRITE_HEADERS = HEADER + 40;

    private final MemorySegment bytes;
    private final MemorySegment vector;
    private final MemorySegment asked;   // a struct pollfd

    Request(Native calls, Arena arena) {
        var memory = calls.memory(arena, PAGE + PAYLOAD_MAX + PAGE);
        this.bytes = memory.asSlice(PAGE - WRITE_HEADERS);
        this.vector = arena.allocate(16, 8);
        vector.set(JAVA_LONG_UNALIGNED, 0, bytes.address());
        vector.set(JAVA_LONG_UNALIGNED, 8, bytes.byteSize());
        this.asked = arena.allocate(8, 8);
        asked.set(JAVA_SHORT_UNALIGNED, 4, POLLIN);
    }

    /** Is there a request, or news that there will be none? Somebody else may be faster and read it. */
    boolean isThere(Native calls, int descriptor) {
        asked.set(JAVA_INT_UNALIGNED, 0, descriptor);
        return calls.poll(asked, 1) != 0;
    }

    /** Waits for the next request; a negative error number if there will be none. */
    long receive(Native calls, int descriptor) {
        return calls.readv(descriptor, vector, 1);
    }

    int length() {
        return bytes.get(JAVA_INT_UNALIGNED, 0);
    }

    int opcode() {
        return bytes.get(JAVA_INT_UNALIGNED, 4);
    }

    long unique() {
        return bytes.get(JAVA_LONG_UNALIGNED, 8);
    }

    long node() {
        return bytes.get(JAVA_LONG_UNALIGNED, 16);
    }

    Owner owner() {
        return new Owner(bytes.get(JAVA_INT_UNALIGNED, 24), bytes.get(JAVA_INT_UNALIGNED, 28));
    }

    /** The thread that asks, or 0 if it is none we can know of. */
    int process() {
        return bytes.get(JAVA_INT_UNALIGNED, 32);
    }

    int int32(int offset) {
        return bytes.get(JAVA_INT_UNALIGNED, HEADER + offset);
    }

    long int64(int offset) {
        return bytes.get(JAVA_LONG_UNALIGNED, HEADER + offset);
    }

    /** The bytes from {@code offset} of the body up to the next NUL. */
    byte[] text(int offset) {
        long start = (long) HEADER + offset;
        long end = start;
        while (end < length() && bytes.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return bytes.asSlice(start, end - start).toArray(JAVA_BYTE);
    }

    Name name(int offset) throws FsException {
        return Name.of(text(offset));
    }

    byte[] bytes(int offset, int count) {
        return bytes.asSlice(HEADER + offset, count).toArray(JAVA_BYTE);
    }

    /** The bytes to be written, in place. */
    ByteBuffer payload(int offset, int count) {
        return bytes.asSlice(HEADER + offset, count).asByteBuffer();
    }
}
