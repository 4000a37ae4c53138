package volsh.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import volsh.fuse.Native;
import volsh.fuse.kernel.FuseStructs.*;

/**
 * Sends messages to the kernel outside of the thread that handles a request: late replies and cache invalidations.
 * Thread-safe; any number of threads may send at once.
 */
final class Outbox {
    private static final int NOTIFY_INVALID_INODE = 2;
    private static final int NOTIFY_INVALID_ENTRY = 3;
    private static final int NOTIFY_EPOCH = 8;
    private static final int EXPIRE_ONLY = 1;
    static final long NO_PAGES = -1;

    private final int descriptor;
    private final ReentrantReadWriteLock sending = new ReentrantReadWriteLock();
    private boolean closed;

    Outbox(int descriptor) {
        this.descriptor = descriptor;
    }

    /** Sends nothing more: the descriptor number may soon be reused. False if a thread is still sending. */
    boolean close(Duration longest) throws InterruptedException {
        if (!sending.writeLock().tryLock(longest.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        closed = true;
        sending.writeLock().unlock();
        return true;
    }

    /** Answers a request with just an error number, 0 for success; false if the request is no longer pending. */
    boolean answer(long unique, int errno) {
        try (var arena = Arena.ofConfined()) {
            return send(arena, -errno, unique, message(arena, 0)) >= 0;
        }
    }

    /**
     * Makes the kernel drop the attributes and all pages of this file. May block until requests about the file end, so
     * it must not be called while handling one.
     */
    void forgetFile(long ino) {
        forget(ino, 0, 0);
    }

    /**
     * Makes the kernel drop the attributes and these pages of this file. May block until requests about them end, so it
     * must not be called while handling one.
     */
    void forgetPages(long ino, long from, long to) {
        forget(ino, from, to - from);
    }

    /** Makes the kernel drop the attributes of this file. Never blocks, so a request handler may call it. */
    void forgetAttributes(long ino) {
        forget(ino, NO_PAGES, 0);
    }

    private void forget(long ino, long offset, long length) {
        try (var arena = Arena.ofConfined()) {
            var notice = message(arena, NotifyInvalInodeOut.BYTES);
            invalidate(notice, ino, offset);
            NotifyInvalInodeOut.LEN.set(notice, OutHeader.BYTES, length);
            send(arena, notice);
        }
    }

    /** Fills {@code notice} to invalidate the attributes of a file, and its pages from {@code offset} on. */
    static void invalidate(MemorySegment notice, long ino, long offset) {
        OutHeader.set(notice, notice.byteSize(), NOTIFY_INVALID_INODE, 0);
        NotifyInvalInodeOut.INO.set(notice, OutHeader.BYTES, ino);
        NotifyInvalInodeOut.OFF.set(notice, OutHeader.BYTES, offset);
    }

    /**
     * Makes the kernel revalidate this name on next use, keeping what is below. May block until requests about the
     * directory end. Needs protocol version 7.38: earlier kernels would drop everything below, including mounts.
     */
    void expireName(long directory, byte[] name) {
        try (var arena = Arena.ofConfined()) {
            var notice = message(arena, NotifyInvalEntryOut.BYTES + name.length + 1);
            NotifyInvalEntryOut.PARENT.set(notice, OutHeader.BYTES, directory);
            NotifyInvalEntryOut.NAMELEN.set(notice, OutHeader.BYTES, name.length);
            NotifyInvalEntryOut.FLAGS.set(notice, OutHeader.BYTES, EXPIRE_ONLY);
            MemorySegment.copy(name, 0, notice, JAVA_BYTE, OutHeader.BYTES + NotifyInvalEntryOut.BYTES, name.length);
            send(arena, NOTIFY_INVALID_ENTRY, 0, notice);
        }
    }

    /** Makes the kernel revalidate every name it knows. Kernels before 6.16 do so only when timeouts expire. */
    void forgetNames() {
        try (var arena = Arena.ofConfined()) {
            send(arena, NOTIFY_EPOCH, 0, message(arena, 0));
        }
    }

    /** Zeros, with room for the header and {@code length} bytes after it. */
    private static MemorySegment message(Arena arena, int length) {
        return arena.allocate(OutHeader.BYTES + length, 8);
    }

    private long send(Arena arena, int code, long unique, MemorySegment message) {
        OutHeader.set(message, message.byteSize(), code, unique);
        return send(arena, message);
    }

    private long send(Arena arena, MemorySegment message) {
        var vector = arena.allocate(Iovec.BYTES, 8);
        Iovec.set(vector, 0, message, message.byteSize());
        sending.readLock().lock();
        try {
            return closed ? -1 : new Native(arena).writev(descriptor, vector, 1);
        } finally {
            sending.readLock().unlock();
        }
    }
}
