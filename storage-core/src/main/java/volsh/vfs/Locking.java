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
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.meta.FileLocks;
import volsh.meta.FileLocks.Holder;
import volsh.meta.LockWaits;

/**
 * The locks of files for those who use a volume through this process, and the queue of those who wait for one.
 *
 * <p>Who waits has no thread of his own: one thread, there only while somebody waits, tries for all of them in the order
 * they came, whenever somebody here lets go of a lock on that file, and else after a pause that doubles up to
 * {@value #PAUSE_MAX_MILLIS} ms, for those who let go elsewhere. So there may be any number of them. A wait that can never
 * end, because each of some owners waits for the next, is refused as a deadlock: at once if all are here, else after a look at
 * the waits of everybody, twice a second.
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
    private final Set<Long> early = new LinkedHashSet<>();   // numbers of requests that were called off before they came
    private boolean running;
    private boolean untold;   // what waits are there; of the thread that tries
    private boolean closed;

    /** An owner that has locks on this file, or is about to. */
    private record Owned(long ino, Lock.Kind kind, long owner) {}

    /** How often it asked for one, and which process did so last. */
    private record Asked(long times, int process) {}

    Locking(FileLocks locks) {
        this.locks = locks;
    }

    /** Who waits for a lock. Exactly one of the two is called, once, by another thread. */
    public interface Waiter {
        /** It has the lock. False if nobody is there any more: then it is given back. */
        boolean granted();

        void refused(IOException why);
    }

    /** Can locks be had through this volume? */
    public boolean isPossible() {
        return locks.isPossible();
    }

    /** @throws FsException WOULD_BLOCK if somebody else has such a lock */
    public void tryLock(long ino, Lock wanted) throws IOException {
        if (attempt(ino, wanted).isPresent()) {
            throw new FsException(FsError.WOULD_BLOCK);
        }
    }

    /** As {@link #tryLock}, but says who is in the way. */
    public Optional<Holder> attempt(long ino, Lock wanted) throws IOException {
        owned.merge(new Owned(ino, wanted.kind(), wanted.owner()), new Asked(1, wanted.process()), (before, one) -> new Asked(before.times + 1, one.process));
        return locks.lock(ino, wanted);
    }

    /** Takes the lock now and returns true, or has the waiter told later, under this number. */
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

    /** Who asked under this number no longer wants to wait. Numbers nobody waits under are remembered for a while: they may be ahead. */
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

    /** Gives back what the owner has on bytes {@code [start, last]}. */
    public void unlock(long ino, Lock.Kind kind, long owner, long start, long last) throws IOException {
        var mine = new Owned(ino, kind, owner);
        var asked = owned.get(mine);
        if (asked != null) {
            try {
                if (!locks.unlock(ino, kind, owner, start, last)) {
                    owned.remove(mine, asked);   // unless it asked for another meanwhile
                }
            } catch (FsException refused) {
                if (refused.error() == FsError.STALE) {   // gone with the session, and others may have been given it
                    lost = true;
                    if (start == 0 && last == Lock.END) {
                        owned.remove(mine, asked);
                        locks.tellEnded();   // it may have been the last in the way of a new session
                    }
                }
                throw refused;
            }
            wake(ino);
        }
    }

    /** Which processes have locks here, or may have. */
    public List<Integer> holders() {
        return owned.values().stream().map(Asked::process).distinct().sorted().toList();
    }

    /** The session was ended: locks that are held here, others may have been given. */
    public void sessionEnded() {
        lost |= !owned.isEmpty();
    }

    /** Were locks lost with a session? What was written under them, others do not know of. */
    public boolean hasLost() {
        return lost;
    }

    /** There is a new session, and no program here holds a lock of the old one. */
    public void sessionReplaced() {
        lost = false;
    }

    /** Gives back all that the owner has on the file; costs nothing if that is nothing. */
    public void unlockAll(long ino, Lock.Kind kind, long owner) throws IOException {
        unlock(ino, kind, owner, 0, Lock.END);
    }

    /** Who would be in the way of this lock. */
    public Optional<Holder> find(long ino, Lock wanted) throws IOException {
        return locks.find(ino, wanted);
    }

    /** Somebody let go of a lock on the file. */
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

    // ---- those who wait

    private static final class Wait {
        final long number;
        final long ino;
        final Lock wanted;
        final Waiter waiter;
        Holder holder;
        boolean calledOff;
        boolean woken;   // since it was last tried
        boolean told;    // to those elsewhere
        long lookNanos = System.nanoTime() + TOLD_AFTER_NANOS;   // when to look for a circle of waits
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

    /** Waits for the first wait that is due; null when there has been none for long, and this thread may go. */
    private Wait next() {
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
                if (waits.isEmpty() && (closed || System.nanoTime() - idleSince >= TimeUnit.SECONDS.toNanos(IDLE_SECONDS))) {
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

    /** Says whether it may be waiting for itself. */
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

    /** Looks at the locks as they are, all at one time, whether it waits for itself. @throws FsException DEADLOCK if it does */
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

    /** Looks now and then whether it waits for itself by way of others elsewhere. @throws FsException DEADLOCK if it is to give up */
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

    /** Who has waited here for long. */
    private void tell() {
        List<LockWaits.Wait> told;
        lock.lock();
        try {
            told = waits.stream().filter(wait -> wait.told).map(wait -> new LockWaits.Wait(wait.ino, wait.wanted)).toList();
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
     * Did whoever was in the way wait, directly or through others, for who wants this? Of ranges only, as the standard says. Who was
     * in the way when a wait was last tried may have let go since, and a wait that has just come to its end is still among them.
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
                        .filter(wait -> wait.wanted.kind() == Lock.Kind.RANGE && wait.wanted.owner() == owner && wait.holder.here())
                        .forEach(wait -> following.add(wait.holder.lock().owner()));
            }
        }
        return false;
    }

    /** Refuses all who wait, and gives everything back; what cannot be goes with the session. */
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
