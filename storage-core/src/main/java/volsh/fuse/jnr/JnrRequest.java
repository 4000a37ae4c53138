package volsh.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * The request a thread is handling, as it came from the kernel. libfuse passes its operations a path, which an unlinked
 * file no longer has, and most of them no handle; the node is only here.
 */
final class JnrRequest {
    private static final ThreadLocal<JnrRequest> CURRENT = new ThreadLocal<>();
    private static final int HEADER = 40;
    private static final int GETATTR = 3;
    private static final int READ = 15;
    private static final int WRITE = 16;
    private static final int FSYNC = 20;
    private static final int FLUSH = 25;
    private static final int FALLOCATE = 43;
    private static final int GETATTR_HANDLE = 1;
    private static final int WRITE_KILL_SET_ID = 4;

    private final MemorySegment bytes;
    private final OpenNodes nodes;
    private long inode;

    JnrRequest(MemorySegment bytes, OpenNodes nodes) {
        this.bytes = bytes;
        this.nodes = nodes;
        CURRENT.set(this);
    }

    /** The request of this thread. */
    static JnrRequest current() {
        return CURRENT.get();
    }

    /** The kernel's number of the file: one for each name, unlike an inode. */
    long node() {
        return bytes.get(JAVA_LONG_UNALIGNED, 16);
    }

    /** The requesting thread. */
    int thread() {
        return bytes.get(JAVA_INT_UNALIGNED, 32);
    }

    /** For a write request: whether the kernel says to clear set-id bits. */
    boolean dropsPrivileges() {
        return (bytes.get(JAVA_INT_UNALIGNED, HEADER + 20) & WRITE_KILL_SET_ID) != 0;
    }

    /** The inode whose attributes are requested, if it is open and has lost its path; otherwise 0. */
    long inode() {
        return inode;
    }

    /**
     * A new request is in the memory. A request for the attributes of an open file without a path is marked as coming
     * from a handle: then libfuse needs no path for it. {@link #inode} says which file.
     */
    void arrived() {
        inode = 0;
        switch (bytes.get(JAVA_INT_UNALIGNED, 4)) {
            case READ, WRITE, FLUSH, FSYNC, FALLOCATE -> nodes.used(node(), handle(0));
            case GETATTR -> byInode();
            default -> { }
        }
    }

    private void byInode() {
        int flags = bytes.get(JAVA_INT_UNALIGNED, HEADER);
        if ((flags & GETATTR_HANDLE) != 0) {
            nodes.used(node(), handle(8));
        }
        inode = nodes.unnamed(node());
        if (inode != 0) {
            bytes.set(JAVA_INT_UNALIGNED, HEADER, flags | GETATTR_HANDLE);
        }
    }

    private long handle(int offset) {
        return bytes.get(JAVA_LONG_UNALIGNED, HEADER + offset);
    }
}
