package volsh.fuse.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import volsh.fuse.Native;

/**
 * What the kernel is told by others than the thread that has a request in hand: late answers, and that it no longer knows
 * something. Thread-safe; any number may send at once.
 */
final class Outbox {
    private static final int HEADER = 16;
    private static final int NOTIFY_INVALID_INODE = 2;
    private static final int NOTIFY_INVALID_ENTRY = 3;
    private static final int NOTIFY_EPOCH = 8;
    private static final int EXPIRE_ONLY = 1;
    private static final long NO_PAGES = -1;

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
            return send(arena, -errno, unique, arena.allocate(8, 8), 0) >= 0;
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
            var body = arena.allocate(24, 8);
            body.set(JAVA_LONG_UNALIGNED, 0, ino);
            body.set(JAVA_LONG_UNALIGNED, 8, offset);
            body.set(JAVA_LONG_UNALIGNED, 16, 0);
            send(arena, NOTIFY_INVALID_INODE, 0, body, 24);
        }
    }

    /**
     * The kernel asks for this name when it comes by next, and keeps what is below. It may wait for requests about the directory that are under
     * way. Needs version 7.38 of the protocol: kernels before would drop all that is below, what is mounted there included.
     */
    void expireName(long directory, byte[] name) {
        try (var arena = Arena.ofConfined()) {
            long length = 16L + name.length + 1;
            var body = arena.allocate(length, 8);
            body.set(JAVA_LONG_UNALIGNED, 0, directory);
            body.set(JAVA_INT_UNALIGNED, 8, name.length);
            body.set(JAVA_INT_UNALIGNED, 12, EXPIRE_ONLY);
            MemorySegment.copy(name, 0, body, JAVA_BYTE, 16, name.length);
            send(arena, NOTIFY_INVALID_ENTRY, 0, body, length);
        }
    }

    /** The kernel asks again for every name it knows; kernels before 6.16 do not understand this, and ask when their time is over. */
    void forgetNames() {
        try (var arena = Arena.ofConfined()) {
            send(arena, NOTIFY_EPOCH, 0, arena.allocate(8, 8), 0);
        }
    }

    private long send(Arena arena, int code, long unique, MemorySegment body, long length) {
        var message = arena.allocate(HEADER + length, 8);
        message.set(JAVA_INT_UNALIGNED, 0, (int) (HEADER + length));
        message.set(JAVA_INT_UNALIGNED, 4, code);
        message.set(JAVA_LONG_UNALIGNED, 8, unique);
        MemorySegment.copy(body, 0, message, HEADER, length);
        var vector = arena.allocate(16, 8);
        vector.set(JAVA_LONG_UNALIGNED, 0, message.address());
        vector.set(JAVA_LONG_UNALIGNED, 8, message.byteSize());
        sending.readLock().lock();
        try {
            return closed ? -1 : new Native(arena).writev(descriptor, vector, 1);
        } finally {
            sending.readLock().unlock();
        }
    }
}
