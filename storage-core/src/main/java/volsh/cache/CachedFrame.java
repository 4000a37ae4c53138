package volsh.cache;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A frame in memory. It begins with the lease of the thread that loads it. A frame without leases may be killed; a dead
 * frame is never leased. Fields that are not thread-safe are guarded by the lock of the cache.
 */
final class CachedFrame {
    private static final int DEAD = -1;

    private final FrameKey key;
    private final FrameSlab.Slot slot;
    private final ByteBuffer bytes;
    private final AtomicInteger leases = new AtomicInteger(1);
    private final CountDownLatch loaded = new CountDownLatch(1);
    private volatile boolean ready;
    private volatile boolean own;
    private final AtomicBoolean unread;
    private volatile long touched;
    private int place = -1;

    CachedFrame(FrameKey key, FrameSlab.Slot slot, int length, boolean unread, long now) {
        this.key = key;
        this.slot = slot;
        this.bytes = slot.bytes(length);
        this.unread = new AtomicBoolean(unread);
        this.touched = now;
        slot.holds(this);
    }

    FrameKey key() {
        return key;
    }

    FrameSlab.Slot slot() {
        return slot;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    // ---- leases

    boolean tryLease() {
        int count = leases.get();
        while (count != DEAD && !leases.compareAndSet(count, count + 1)) {
            count = leases.get();
        }
        return count != DEAD;
    }

    void release() {
        leases.decrementAndGet();
    }

    /** No more leases from now on; false if there is one. */
    boolean tryKill() {
        return leases.compareAndSet(0, DEAD);
    }

    boolean isLeased() {
        return leases.get() > 0;
    }

    // ---- loading

    /** All its bytes are loaded. */
    void complete() {
        ready = true;
        loaded.countDown();
    }

    /** It could not be loaded. */
    void fail() {
        leases.set(DEAD);
        loaded.countDown();
    }

    boolean isReady() {
        return ready;
    }

    void await() throws InterruptedException {
        loaded.await();
    }

    // ---- use

    void touch(long now) {
        touched = now;
    }

    /** Marks it as read; false if it was already. */
    boolean markRead() {
        return unread.get() && unread.compareAndSet(true, false);
    }

    long touched() {
        return touched;
    }

    /** Whether it was loaded ahead and not read yet. */
    boolean isUnread() {
        return unread.get();
    }

    /** Marks its bytes as written by this process, rather than loaded. */
    void markOwn() {
        own = true;
    }

    boolean isOwn() {
        return own;
    }

    /** Its position among the frames that stay; -1 if it passes through. */
    int place() {
        return place;
    }

    void placeAt(int newPlace) {
        place = newPlace;
    }
}
