package volsh.fuse.kernel;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Lock;
import volsh.fuse.FailedPaths;
import volsh.fuse.Handles;
import volsh.fuse.RequestFailures;
import volsh.fuse.kernel.FuseStructs.*;
import volsh.meta.FileLocks.Holder;
import volsh.vfs.Locking;
import volsh.vfs.Vfs;

/**
 * The requests about locks. A lock also guarantees visibility: its holder reads what earlier holders have written on
 * any mount, and what it writes is visible to the next holder before the lock is released.
 */
final class LockRequests {
    private static final int READ_LOCK = 0;
    private static final int WRITE_LOCK = 1;
    private static final int UNLOCK = 2;
    private static final int OF_FLOCK = 1;
    private static final int RELEASE_FLOCK = 2;
    private static final long PAUSE_NANOS = 100_000;
    private static final int PAUSES_MAX = 2_000;

    private final Locking locking;
    private final Handles handles;
    private final PageCaches caches;
    private final Outbox outbox;
    private final FailedPaths failedPaths;
    private final boolean shared;
    /** Files locked by fcntl since the kernel has known them. */
    private final Set<Long> locked = ConcurrentHashMap.newKeySet();
    /** The owners that locked ranges through a handle: closing it ends their locks. */
    private final Map<Long, Set<Owner>> owners = new ConcurrentHashMap<>();
    /** The handle through which an owner last locked a file, until it is closed. */
    private final Map<Owner, Long> lastHandle = new ConcurrentHashMap<>();
    /** Number of handles being closed, by file. */
    private final Map<Long, Integer> closing = new ConcurrentHashMap<>();

    LockRequests(Vfs vfs, Handles handles, PageCaches caches, Outbox outbox, FailedPaths failedPaths, boolean shared) {
        this.locking = vfs.locking();
        this.handles = handles;
        this.caches = caches;
        this.outbox = outbox;
        this.failedPaths = failedPaths;
        this.shared = shared;
    }

    void find(Request in, Reply reply, long node) throws IOException {
        int wanted = in.get(LkIn.LK_TYPE);
        Optional<Holder> holder = wanted == UNLOCK ? Optional.empty() : locking.find(node, lock(in));
        if (holder.isEmpty()) {
            reply.add(FileLock.BYTES).set(FileLock.TYPE, UNLOCK);
        } else {
            var lock = holder.get().lock();
            reply.add(FileLock.BYTES).set(FileLock.START, lock.start()).set(FileLock.END, lock.last())
                    .set(FileLock.TYPE, lock.exclusive() ? WRITE_LOCK : READ_LOCK)
                    .set(FileLock.PID, holder.get().here() ? lock.process() : 0);
        }
    }

    /** Locks or unlocks without waiting. @throws FsException WOULD_BLOCK */
    void set(Request in, long node) throws IOException {
        if (in.get(LkIn.LK_TYPE) == UNLOCK) {
            unlock(in, node);
            return;
        }
        var wanted = noted(in, node);
        var holder = locking.attempt(node, wanted);
        for (int pause = 0; isBeingClosed(holder, node) && pause < PAUSES_MAX; pause++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            holder = locking.attempt(node, wanted);
        }
        if (holder.isPresent()) {
            throw new FsException(FsError.WOULD_BLOCK);
        }
        look(in.get(LkIn.FH), node);
    }

    /**
     * Whether the holder is being closed: close returns to the program before the mount hears of it, and must not block
     * the program's next lock.
     */
    private boolean isBeingClosed(Optional<Holder> holder, long node) {
        return holder.isPresent() && holder.get().here() && closing.containsKey(node);
    }

    /** Like {@link #set}, but waits if necessary; false if the answer comes later. */
    boolean setOrWait(Request in, long node) throws IOException {
        if (in.get(LkIn.LK_TYPE) == UNLOCK) {
            unlock(in, node);
            return true;
        }
        long unique = in.unique();
        long handle = in.get(LkIn.FH);
        boolean now = locking.lock(unique, node, noted(in, node), new Locking.Waiter() {
            @Override
            public boolean granted() {
                try {
                    look(handle, node);
                    return outbox.answer(unique, 0);
                } catch (IOException failed) {
                    outbox.answer(unique, errno(failed, node));
                    return false;
                }
            }

            @Override
            public void refused(IOException why) {
                outbox.answer(unique, errno(why, node));
            }
        });
        if (now) {
            look(handle, node);
        }
        return now;
    }

    private int errno(IOException why, long node) {
        return RequestFailures.errno(why, () -> "a lock of " + failedPaths.of(node, why));
    }

    void callOff(long unique) {
        if (shared) {
            locking.callOff(unique);
        }
    }

    /** Writes out changes, so that the next holder sees them, then releases the lock. */
    private void unlock(Request in, long node) throws IOException {
        var kind = kind(in);
        try {
            handles.file(in.get(LkIn.FH)).flush();
        } finally {
            boolean whole = kind == Lock.Kind.WHOLE;
            locking.unlock(node, kind, in.get(LkIn.OWNER), whole ? 0 : in.get(LkIn.LK_START),
                    whole ? Lock.END : in.get(LkIn.LK_END));
        }
    }

    /** Shows the new holder what was written elsewhere: if the version changed, invalidates the kernel's cache. */
    private void look(long handle, long node) throws IOException {
        var file = handles.file(handle);
        caches.written(file);
        if (!caches.isCurrent(file.attributes())) {
            outbox.forgetFile(node);
        }
    }

    /** A process closes one of its descriptors of the file: POSIX releases all its range locks on the file. */
    void flushed(Request in, long node) throws IOException {
        if (shared) {
            locking.unlockAll(node, Lock.Kind.RANGE, in.get(FlushIn.LOCK_OWNER));
        }
    }

    /** The last descriptor of an open file is closed. Its locks are released when the result is closed. */
    Closing releasing(Request in, long node) {
        if (!shared) {
            return () -> {};
        }
        long handle = in.get(ReleaseIn.FH);
        boolean whole = (in.get(ReleaseIn.RELEASE_FLAGS) & RELEASE_FLOCK) != 0;
        long owner = in.get(ReleaseIn.LOCK_OWNER);
        closing.merge(node, 1, Integer::sum);
        return () -> {
            try {
                if (whole) {
                    unlockUnlessLockedAgain(handle, new Owner(node, Lock.Kind.WHOLE, owner));
                }
                var others = owners.remove(handle);
                for (var other : others == null ? Set.<Owner>of() : others) {
                    unlockUnlessLockedAgain(handle, other);
                }
            } finally {
                closing.computeIfPresent(node, (ino, count) -> count == 1 ? null : count - 1);
            }
        };
    }

    /**
     * A program continues after close before the mount hears of it. Locks it has taken meanwhile through a new
     * descriptor stay: a process is the same owner as before, and an open file may get the number of the closed one.
     */
    private void unlockUnlessLockedAgain(long handle, Owner owner) throws IOException {
        IOException[] failure = new IOException[1];
        lastHandle.computeIfPresent(owner, (same, last) -> {
            if (last != handle) {
                return last;
            }
            try {
                locking.unlockAll(owner.node(), owner.kind(), owner.number());
            } catch (IOException failed) {
                failure[0] = failed;
            }
            return null;
        });
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    /** A possible owner of locks on a file. */
    private record Owner(long node, Lock.Kind kind, long number) {}

    interface Closing extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /** Whether the file was recently locked by fcntl. */
    boolean isLocked(long ino) {
        return shared && locked.contains(ino);
    }

    void forget(long ino) {
        locked.remove(ino);
    }

    private Lock noted(Request in, long node) {
        var wanted = lock(in);
        var owner = new Owner(node, wanted.kind(), wanted.owner());
        lastHandle.put(owner, in.get(LkIn.FH));   // waits for a close of the same file that is in progress
        if (wanted.kind() == Lock.Kind.RANGE) {
            locked.add(node);
            owners.computeIfAbsent(in.get(LkIn.FH), handle -> ConcurrentHashMap.newKeySet()).add(owner);
        }
        return wanted;
    }

    private static Lock lock(Request in) {
        var kind = kind(in);
        boolean whole = kind == Lock.Kind.WHOLE;
        return new Lock(kind, in.get(LkIn.LK_TYPE) == WRITE_LOCK, whole ? 0 : in.get(LkIn.LK_START),
                whole ? Lock.END : in.get(LkIn.LK_END), in.get(LkIn.OWNER), in.get(LkIn.LK_PID));
    }

    private static Lock.Kind kind(Request in) {
        return (in.get(LkIn.LK_FLAGS) & OF_FLOCK) != 0 ? Lock.Kind.WHOLE : Lock.Kind.RANGE;
    }
}
