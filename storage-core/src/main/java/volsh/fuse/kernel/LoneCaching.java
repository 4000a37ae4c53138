package volsh.fuse.kernel;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import volsh.fs.OtherWriters;

/**
 * Lets the kernel remember names and attributes for longer while no other process writes to the volume. Before another
 * one begins to write, the kernel is made to forget them: that writer waits for it. So what a mount shows is as fresh
 * as with the usual timeouts.
 *
 * <p>Directories' attributes are never remembered for long: a working directory is reached without its name. A reply to
 * READDIRPLUS may be taken over by the kernel after names were forgotten; therefore they are forgotten again and again
 * for some seconds.
 */
final class LoneCaching implements AutoCloseable {
    /** How long the kernel may remember what is granted. Others that wait for a mount in vain wait a little longer. */
    static final Duration KEPT = Duration.ofSeconds(10);
    /** Inodes whose attributes are granted; then no more are. */
    static final int INODES_MAX = 1 << 16;

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int ECHOES = 40;   // ticks times 10: eight seconds

    private final OtherWriters others;
    private final Outbox outbox;
    private final long root;
    private final Set<Long> inodes = ConcurrentHashMap.newKeySet();
    private final AtomicInteger replying = new AtomicInteger();
    private final Thread thread = Thread.ofPlatform().name("fuse-lone").daemon().unstarted(this::run);
    private volatile boolean alone;
    private volatile boolean changedHere;
    private volatile boolean wanted = true;
    private volatile boolean closed;
    private volatile long lookedAt;
    private volatile long grantedAt;

    LoneCaching(OtherWriters others, Outbox outbox, long root) {
        this.others = others;
        this.outbox = outbox;
        this.root = root;
    }

    void start() {
        thread.start();
    }

    /** Whether a reply may grant {@link #KEPT} until {@link #replied}, which has to be called if this is true. */
    boolean reply() {
        wanted = true;
        if (!alone) {
            return false;
        }
        replying.incrementAndGet();
        long now = System.nanoTime();
        if (alone && now - lookedAt < SILENT_NANOS) {
            grantedAt = now;
            return true;
        }
        replying.decrementAndGet();
        return false;
    }

    /** The reply was sent, or dropped. */
    void replied() {
        replying.decrementAndGet();
    }

    /** Whether the attributes of this inode may be granted, too. */
    boolean grants(long ino) {
        return inodes.contains(ino) || inodes.size() < INODES_MAX && inodes.add(ino);
    }

    /** The kernel has forgotten the inode. */
    void forgotten(long ino) {
        inodes.remove(ino);
    }

    /** This process changed names or attributes by itself: not because the kernel asked for it. */
    void changed() {
        changedHere = true;
    }

    private void run() {
        while (!closed) {
            try {
                live();
            } catch (IOException | RuntimeException later) {
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
    }

    private void live() throws IOException {
        if (!wanted || !others.exclude()) {
            LockSupport.parkNanos(AGAIN_NANOS);
            return;
        }
        try {
            wanted = false;
            changedHere = false;
            lookedAt = System.nanoTime();
            grantedAt = lookedAt;
            alone = true;
            while (!closed && !others.isWaiting() && System.nanoTime() - grantedAt < IDLE_NANOS) {
                lookedAt = System.nanoTime();
                if (changedHere) {
                    changedHere = false;
                    outbox.forgetNames();
                }
                LockSupport.parkNanos(TICK_NANOS);
            }
        } finally {
            forget();
            others.admit();
        }
        for (int i = 0; i < ECHOES && !closed; i++) {
            LockSupport.parkNanos(10 * TICK_NANOS);
            outbox.forgetNames();
        }
    }

    /** When this returns the kernel asks for everything again. */
    private void forget() {
        alone = false;
        while (replying.get() > 0) {
            Thread.onSpinWait();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
        }
        outbox.forgetNames();
        for (var each = inodes.iterator(); each.hasNext(); ) {
            long ino = each.next();
            each.remove();
            outbox.forgetAttributes(ino == root ? 1 : ino);
        }
    }

    /** Lets others in. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
