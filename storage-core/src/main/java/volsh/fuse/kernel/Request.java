package volsh.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsException;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.fuse.Native;
import volsh.fuse.kernel.FuseStructs.*;

/**
 * The request a worker has just read. Its memory is laid out so that the payload of a WRITE, which follows 80 bytes of
 * headers, begins on a page. Its fields are those of {@link FuseStructs}.
 */
final class Request {
    /** Bytes of the largest READ or WRITE. */
    static final int PAYLOAD_MAX = 1 << 20;

    private static final int PAGE = 4096;
    private static final short POLLIN = 1;
    private static final int WRITE_HEADERS = InHeader.BYTES + WriteIn.BYTES;

    private final MemorySegment bytes;
    private final MemorySegment vector;
    private final MemorySegment asked;
    private @Nullable Owner actor;

    Request(Native calls, Arena arena) {
        var memory = calls.memory(arena, PAGE + PAYLOAD_MAX + PAGE);
        this.bytes = memory.asSlice(PAGE - WRITE_HEADERS);
        this.vector = arena.allocate(Iovec.BYTES, 8);
        Iovec.set(vector, 0, bytes, bytes.byteSize());
        this.asked = arena.allocate(Pollfd.BYTES, 8);
        Pollfd.EVENTS.set(asked, 0, POLLIN);
    }

    /** Whether a request is ready, or the end of the connection. Another thread may read it first. */
    boolean isThere(Native calls, int descriptor) {
        Pollfd.FD.set(asked, 0, descriptor);
        return calls.poll(asked, 1) != 0;
    }

    /** Waits for the next request; a negative error number if there will be none. */
    long receive(Native calls, int descriptor) {
        return calls.readv(descriptor, vector, 1);
    }

    int length() {
        return InHeader.LEN.get(bytes, 0);
    }

    int opcode() {
        return InHeader.OPCODE.get(bytes, 0);
    }

    long unique() {
        return InHeader.UNIQUE.get(bytes, 0);
    }

    long node() {
        return InHeader.NODEID.get(bytes, 0);
    }

    /** Has the request come from this user, from now on; null: from the one who made it. */
    void actAs(@Nullable Owner other) {
        actor = other;
    }

    Owner owner() {
        return actor != null ? actor : new Owner(InHeader.UID.get(bytes, 0), InHeader.GID.get(bytes, 0));
    }

    /** The requesting thread, or 0 if unknown. */
    int process() {
        return InHeader.PID.get(bytes, 0);
    }

    int get(Int32 field) {
        return field.get(bytes, InHeader.BYTES);
    }

    long get(Int64 field) {
        return field.get(bytes, InHeader.BYTES);
    }

    /** A field of a structure at {@code offset} in the body. */
    long get(Int64 field, int offset) {
        return field.get(bytes, InHeader.BYTES + offset);
    }

    /** The bytes at the beginning of the body, up to the first NUL. */
    byte[] text() {
        return text(0);
    }

    /** The bytes from {@code offset} of the body up to the next NUL. */
    byte[] text(int offset) {
        long start = (long) InHeader.BYTES + offset;
        long end = start;
        while (end < length() && bytes.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return bytes.asSlice(start, end - start).toArray(JAVA_BYTE);
    }

    Name name() throws FsException {
        return Name.of(text());
    }

    Name name(int offset) throws FsException {
        return Name.of(text(offset));
    }

    byte[] bytes(int offset, int count) {
        return bytes.asSlice(InHeader.BYTES + offset, count).toArray(JAVA_BYTE);
    }

    /** The bytes to be written, in place. */
    ByteBuffer payload(int offset, int count) {
        return bytes.asSlice(InHeader.BYTES + offset, count).asByteBuffer();
    }
}
