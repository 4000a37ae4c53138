package volsh.vfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.meta.FileLocks;
import volsh.meta.FileLocks.Holder;
import volsh.meta.LockWaits;

/**
 * The locks of files that programs take through this process, and the queue of requests that wait for one.
 *
 * <p>A waiting request has no thread of its own. One thread, which runs only while requests wait, tries them in the
 * order of their arrival: whenever a lock on their file is released here, and otherwise after a pause that doubles up
 * to {@value #PAUSE_MAX_MILLIS} ms, because releases elsewhere are not announced. A request that can never be granted,
 * because its owner holds what others in the circle wait for, is refused as a deadlock: at once if all owners are here,
 * else by a look at the waits of all processes, twice a second.
 */
public final class Locking implements AutoCloseable {
    private static final long PAUSE_MIN_MILLIS = 1;
    private static final long PAUSE_MAX_MILLIS = 16;
    private static final long IDLE_SECONDS = 5;
    private static final long TOLD_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int EARLY_MAX = 1000;

    private final FileLocks locks;
    private final Map<Owned, Asked> owned = new ConcurrentHashMap<>();
    private volatile boolean lost;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Wait> waits = new ArrayList<>();
    private final Set<Long> early = new LinkedHashSet<>();   // numbers cancelled before they arrived
    private boolean running;
    private boolean untold;   // the last tell() failed; used by the trying thread only
    private boolean closed;

    /** An owner that has locks on this file, or is about to. */
    private record Owned(long ino, Lock.Kind kind, long owner) {}

    /** How many locks the owner asked for, and the process of the last request. */
    private record Asked(long times, int process) {}

    Locking(FileLocks locks) {
        this.locks = locks;
    }

    /** The program that waits for a lock. One of the two methods is called, once, by another thread. */
    public interface Waiter {
        /** The lock is taken. Returns false if the program is gone: then the lock is released. */
        boolean granted();

        void refused(IOException why);
    }

    /** Whether this volume supports locks. */
    public boolean isPossible() {
        return locks.isPossible();
    }

    /** @throws FsException WOULD_BLOCK if another owner has a conflicting lock */
    public void tryLock(long ino, Lock wanted) throws IOException {
        if (attempt(ino, wanted).isPresent()) {
            throw new FsException(FsError.WOULD_BLOCK);
        }
    }

    /** As {@link #tryLock}, but returns the holder of a conflicting lock. */
    public Optional<Holder> attempt(long ino, Lock wanted) throws IOException {
        owned.merge(new Owned(ino, wanted.kind(), wanted.owner()), new Asked(1, wanted.process()),
                (before, one) -> new Asked(before.times + 1, one.process));
        return locks.lock(ino, wanted);
    }

    /** Takes the lock and returns true, or returns false and tells the waiter later, under this number. */
    public boolean lock(long number, long ino, Lock wanted, Waiter waiter) throws IOException {
        var holder = attempt(ino, wanted);
        if (holder.isEmpty()) {
            return true;
        }
        var wait = new Wait(number, ino, wanted, waiter, holder.get());
        lock.lock();
        try {
            if (closed) {
                throw new FsException(FsError.NO_LOCKS);
            }
            if (early.remove(number)) {
                throw new FsException(FsError.INTERRUPTED);
            }
            if (mayWaitForItself(wait)) {
                wait.dueNanos = System.nanoTime();
            }
            waits.add(wait);
            if (!running) {
                running = true;
                Thread.ofPlatform().name("lock-waits").daemon().start(this::run);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return false;
    }

    /**
     * Cancels the request of this number. A number without a request is remembered for a while, as the request may
     * arrive later.
     */
    public void callOff(long number) {
        lock.lock();
        try {
            for (var wait : waits) {
                if (wait.number == number) {
                    wait.calledOff = true;
                    changed.signalAll();
                    return;
                }
            }
            early.add(number);
            if (early.size() > EARLY_MAX) {
                early.remove(early.iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Releases the locks of the owner on bytes {@code [start, last]}. */
    public void unlock(long ino, Lock.Kind kind, long owner, long start, long last) throws IOException {
        var mine = new Owned(ino, kind, owner);
        var asked = owned.get(mine);
        if (asked != null) {
            try {
                if (!locks.unlock(ino, kind, owner, start, last)) {
                    owned.remove(mine, asked);   // unless it has asked for another one since
                }
            } catch (FsException refused) {
                if (refused.error() == FsError.STALE) {   // lost with the session; another owner may have it
                    lost = true;
                    if (start == 0 && last == Lock.END) {
                        owned.remove(mine, asked);
                        locks.tellEnded();   // it may have been the last lock that kept a new session from opening
                    }
                }
                throw refused;
            }
            wake(ino);
        }
    }

    /** The processes that hold locks here, or may hold some. */
    public List<Integer> holders() {
        return owned.values().stream().map(Asked::process).distinct().sorted().toList();
    }

    /** The session was ended: locks that are held here may have been granted to others. */
    public void sessionEnded() {
        lost |= !owned.isEmpty();
    }

    /** Whether locks were lost with a session: bytes written under them may conflict with changes made elsewhere. */
    public boolean hasLost() {
        return lost;
    }

    /** There is a new session, and no program here holds a lock of the old one. */
    public void sessionReplaced() {
        lost = false;
    }

    /** Releases all locks of the owner on the file; does nothing if there are none. */
    public void unlockAll(long ino, Lock.Kind kind, long owner) throws IOException {
        unlock(ino, kind, owner, 0, Lock.END);
    }

    /** The holder of a lock that conflicts with this one. */
    public Optional<Holder> find(long ino, Lock wanted) throws IOException {
        return locks.find(ino, wanted);
    }

    /** Tries the requests for this file again, as a lock on it was released. */
    private void wake(long ino) {
        lock.lock();
        try {
            for (var wait : waits) {
                if (wait.ino == ino) {
                    wait.woken = true;
                    wait.dueNanos = System.nanoTime();
                    wait.pauseMillis = PAUSE_MIN_MILLIS;
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- waiting requests

    private static final class Wait {
        final long number;
        final long ino;
        final Lock wanted;
        final Waiter waiter;
        Holder holder;
        boolean calledOff;
        boolean woken;   // since it was last tried
        boolean told;    // to other processes
        long lookNanos = System.nanoTime() + TOLD_AFTER_NANOS;   // when to look for a deadlock
        long pauseMillis = PAUSE_MIN_MILLIS;
        long dueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MIN_MILLIS);

        Wait(long number, long ino, Lock wanted, Waiter waiter, Holder holder) {
            this.number = number;
            this.ino = ino;
            this.wanted = wanted;
            this.waiter = waiter;
            this.holder = holder;
        }

        boolean isDue() {
            return calledOff || System.nanoTime() - dueNanos >= 0;
        }
    }

    private void run() {
        while (true) {
            var due = next();
            if (untold) {
                tell();
            }
            if (due == null) {
                return;
            }
            serve(due);
        }
    }

    /** Returns the first request that is due; null if none came for {@value #IDLE_SECONDS} s, and this thread ends. */
    private @Nullable Wait next() {
        lock.lock();
        try {
            long idleSince = System.nanoTime();
            while (true) {
                long sleep = TimeUnit.SECONDS.toNanos(IDLE_SECONDS);
                for (var wait : waits) {
                    if (wait.isDue() || closed) {
                        return wait;
                    }
                    sleep = Math.min(sleep, wait.dueNanos - System.nanoTime());
                }
                if (waits.isEmpty()
                        && (closed || System.nanoTime() - idleSince >= TimeUnit.SECONDS.toNanos(IDLE_SECONDS))) {
                    running = false;
                    return null;
                }
                long _ = changed.awaitNanos(sleep);
            }
        } catch (InterruptedException stop) {
            running = false;
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void serve(Wait wait) {
        try {
            if (isCalledOff(wait)) {
                drop(wait);
                wait.waiter.refused(new FsException(FsError.INTERRUPTED));
                return;
            }
            var holder = locks.find(wait.ino, wait.wanted);
            if (holder.isEmpty()) {
                holder = attempt(wait.ino, wait.wanted);
            }
            if (holder.isEmpty()) {
                drop(wait);
                if (!wait.waiter.granted()) {
                    unlock(wait.ino, wait.wanted.kind(), wait.wanted.owner(), wait.wanted.start(), wait.wanted.last());
                }
            } else {
                if (postpone(wait, holder.get())) {
                    lookHere(wait);
                }
                lookElsewhere(wait);
            }
        } catch (IOException | RuntimeException failed) {
            drop(wait);
            wait.waiter.refused(failed instanceof IOException known ? known : new IOException(failed));
        }
    }

    private boolean isCalledOff(Wait wait) throws FsException {
        lock.lock();
        try {
            if (closed) {
                throw new FsException(FsError.NO_LOCKS);
            }
            wait.woken = false;
            return wait.calledOff;
        } finally {
            lock.unlock();
        }
    }

    /** Tries the request again later; returns whether it may be part of a deadlock. */
    private boolean postpone(Wait wait, Holder holder) {
        lock.lock();
        try {
            wait.holder = holder;
            wait.dueNanos = System.nanoTime() + (wait.woken ? 0 : TimeUnit.MILLISECONDS.toNanos(wait.pauseMillis));
            wait.pauseMillis = Math.min(PAUSE_MAX_MILLIS, 2 * wait.pauseMillis);
            return mayWaitForItself(wait);
        } finally {
            lock.unlock();
        }
    }

    private void drop(Wait wait) {
        lock.lock();
        try {
            waits.remove(wait);
        } finally {
            lock.unlock();
        }
        if (wait.told) {
            tell();
        }
    }

    /** Looks for a deadlock among the requests of this process. @throws FsException DEADLOCK if there is one */
    private void lookHere(Wait wait) throws IOException {
        List<LockWaits.Wait> here;
        lock.lock();
        try {
            here = waits.stream().filter(other -> other.wanted.kind() == Lock.Kind.RANGE && !other.calledOff)
                    .map(other -> new LockWaits.Wait(other.ino, other.wanted)).toList();
        } finally {
            lock.unlock();
        }
        if (locks.waits().isCircle(new LockWaits.Wait(wait.ino, wait.wanted), here)) {
            throw new FsException(FsError.DEADLOCK);
        }
    }

    /**
     * Looks now and then for a deadlock that involves other processes.
     *
     * @throws FsException DEADLOCK if this request is the one to give up
     */
    private void lookElsewhere(Wait wait) throws IOException {
        if (wait.wanted.kind() != Lock.Kind.RANGE || System.nanoTime() - wait.lookNanos < 0) {
            return;
        }
        wait.lookNanos = System.nanoTime() + LOOK_NANOS;
        if (!wait.told) {
            wait.told = true;
            tell();
        }
        if (locks.waits().isToBeGivenUp(new LockWaits.Wait(wait.ino, wait.wanted))) {
            throw new FsException(FsError.DEADLOCK);
        }
    }

    /** Tells other processes which requests have waited here for long. */
    private void tell() {
        List<LockWaits.Wait> told;
        lock.lock();
        try {
            told = waits.stream().filter(wait -> wait.told).map(wait -> new LockWaits.Wait(wait.ino, wait.wanted))
                    .toList();
        } finally {
            lock.unlock();
        }
        try {
            locks.waits().tell(told);
            untold = false;
        } catch (IOException later) {
            untold = true;
        }
    }

    /**
     * Whether the holder of the conflicting lock waits, directly or through others, for the owner of this request. Only
     * for locks of ranges, as POSIX says. This is a hint: a holder may have released its lock since the request was
     * last tried, and a request that was just granted may still be in the list.
     */
    private boolean mayWaitForItself(Wait first) {
        if (first.wanted.kind() != Lock.Kind.RANGE || !first.holder.here()) {
            return false;
        }
        var seen = new HashSet<Long>();
        var following = new ArrayList<>(List.of(first.holder.lock().owner()));
        while (!following.isEmpty()) {
            long owner = following.removeLast();
            if (owner == first.wanted.owner()) {
                return true;
            }
            if (seen.add(owner)) {
                waits.stream()
                        .filter(wait -> wait.wanted.kind() == Lock.Kind.RANGE && wait.wanted.owner() == owner
                                && wait.holder.here())
                        .forEach(wait -> following.add(wait.holder.lock().owner()));
            }
        }
        return false;
    }

    /** Refuses all waiting requests and releases all locks; those that cannot be released end with the session. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        for (var mine : List.copyOf(owned.keySet())) {
            try {
                unlockAll(mine.ino(), mine.kind(), mine.owner());
            } catch (IOException gone) {
                return;
            }
        }
    }
}
