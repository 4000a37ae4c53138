package volsh.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** {@code struct fuse_file_info}: how a file was opened, and its handle. */
record FileInfo(MemorySegment memory) {
    private static final int SIZE = 40;
    private static final int FLAGS = 0;
    private static final int BITS = 20;
    private static final int HANDLE = 24;
    private static final int DIRECT_IO = 1;

    static FileInfo at(long address) {
        return new FileInfo(NativeMemory.at(address, SIZE));
    }

    /** Those of {@code open(2)}. */
    int flags() {
        return memory.get(JAVA_INT, FLAGS);
    }

    long handle() {
        return memory.get(JAVA_LONG, HANDLE);
    }

    void handle(long handle) {
        memory.set(JAVA_LONG, HANDLE, handle);
    }

    /** Tells the kernel to cache no pages of the file. */
    void directIo() {
        memory.set(JAVA_INT, BITS, memory.get(JAVA_INT, BITS) | DIRECT_IO);
    }
}
