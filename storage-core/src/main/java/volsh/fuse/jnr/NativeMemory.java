package volsh.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Memory of libfuse, by its address. */
final class NativeMemory {
    private NativeMemory() {}

    @SuppressWarnings("restricted")   // the one place where addresses and sizes of libfuse are trusted
    static MemorySegment at(long address, long size) {
        return MemorySegment.ofAddress(address).reinterpret(size);
    }

    static ByteBuffer buffer(long address, long size) {
        return at(address, size).asByteBuffer();
    }

    /** The bytes up to the next NUL. */
    static byte[] text(long address) {
        var text = at(address, Integer.MAX_VALUE).getString(0, StandardCharsets.ISO_8859_1);
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** As text for people. */
    static String words(long address) {
        return new String(text(address), StandardCharsets.UTF_8);
    }

    static byte[] bytes(long address, long size) {
        return at(address, size).toArray(JAVA_BYTE);
    }

    static void put(long address, byte[] bytes) {
        MemorySegment.copy(bytes, 0, at(address, bytes.length), JAVA_BYTE, 0, bytes.length);
    }
}
