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
 * What the kernel is told by others than the thread that has a request in hand: late answers, and that it no longer knows
 * something. Thread-safe; any number may send at once.
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

    /** Sends nothing more: the number of the descriptor may mean something else soon. False if somebody is still at it. */
    boolean close(Duration longest) throws InterruptedException {
        if (!sending.writeLock().tryLock(longest.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        closed = true;
        sending.writeLock().unlock();
        return true;
    }

    /** Answers a request with nothing but an error number, 0 for success; false if nobody waits for it any more. */
    boolean answer(long unique, int errno) {
        try (var arena = Arena.ofConfined()) {
            return send(arena, -errno, unique, message(arena, 0)) >= 0;
        }
    }

    /**
     * The kernel drops what it knows of this file, its attributes and all its pages. It may wait for requests about the
     * file that are under way, so who has one in hand must not say this.
     */
    void forgetFile(long ino) {
        forget(ino, 0);
    }

    /** The kernel asks for the attributes of this file when it needs them next. It waits for no request, so also who has one in hand may say this. */
    void forgetAttributes(long ino) {
        forget(ino, NO_PAGES);
    }

    private void forget(long ino, long offset) {
        try (var arena = Arena.ofConfined()) {
            var notice = message(arena, NotifyInvalInodeOut.BYTES);
            invalidate(notice, ino, offset);
            send(arena, notice);
        }
    }

    /** Makes {@code notice} say that the attributes of a file are others, and its pages from {@code offset} on. */
    static void invalidate(MemorySegment notice, long ino, long offset) {
        OutHeader.set(notice, notice.byteSize(), NOTIFY_INVALID_INODE, 0);
        NotifyInvalInodeOut.INO.set(notice, OutHeader.BYTES, ino);
        NotifyInvalInodeOut.OFF.set(notice, OutHeader.BYTES, offset);
    }

    /**
     * The kernel asks for this name when it comes by next, and keeps what is below. It may wait for requests about the directory that are under
     * way. Needs version 7.38 of the protocol: kernels before would drop all that is below, what is mounted there included.
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

    /** The kernel asks again for every name it knows; kernels before 6.16 do not understand this, and ask when their time is over. */
    void forgetNames() {
        try (var arena = Arena.ofConfined()) {
            send(arena, NOTIFY_EPOCH, 0, message(arena, 0));
        }
    }

    /** Zeros, with room for the header and {@code length} bytes behind it. */
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
