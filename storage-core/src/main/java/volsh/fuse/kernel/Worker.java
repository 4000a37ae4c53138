package volsh.fuse.kernel;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLong;
import volsh.engine.RequestClock;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fuse.Errno;
import volsh.fuse.MountOptions;
import volsh.fuse.Native;
import volsh.fuse.OperationStats;
import volsh.fuse.ProcessorAffinity;
import volsh.fuse.RequestFailures;
import volsh.fuse.kernel.FuseStructs.WriteIn;

/**
 * One thread of a mount: reads a request, has it answered and sends the reply, until the mount is gone.
 *
 * <p>Every request is answered exactly once: by this thread, or by {@link Interrupts} if the requesting process is
 * killed while the answer takes long. The thread that takes the number out of {@code unanswered} answers. A late answer
 * is dropped, and what was opened for it is closed.
 */
final class Worker implements Runnable {
    /** Read where the connection was before it ended: the last request is still in memory, and must not run again. */
    private static final long NOTHING = 0;
    private static final int ENOENT = 2;
    private static final int EAGAIN = 11;
    private static final int ENODEV = 19;

    private final int descriptor;
    private final RequestHandler operations;
    private final MountOptions options;
    private final Workers workers;
    private final OperationStats stats;
    private final AtomicLong unanswered = new AtomicLong();
    private volatile int process;
    private volatile long since;
    private volatile int receiving;   // the kernel's number of this thread while it waits for a request, otherwise 0

    Worker(int descriptor, RequestHandler operations, MountOptions options, Workers workers, OperationStats stats) {
        this.descriptor = descriptor;
        this.operations = operations;
        this.options = options;
        this.workers = workers;
        this.stats = stats;
    }

    @Override
    public void run() {
        try (var arena = Arena.ofShared()) {
            var calls = new Native(arena);
            var request = new Request(calls, arena);
            var reply = new Reply(calls, arena, options, operations.told(), operations.policies(),
                    operations.lone());
            int thread = calls.thread();
            var place = Workers.Place.DEVICE;
            try (var follower = new ClientFollower(new ProcessorAffinity(arena))) {
                while (place != Workers.Place.NONE && next(place, calls, request, thread)) {
                    int before = process;
                    boolean others = serve(calls, request, reply);
                    place = workers.done(this, others || isOther(before));
                    follow(follower);
                }
            }
        } finally {
            workers.ended(this);
        }
    }

    /** Whether a thread is served in turn with another one: neither is worth following then. */
    private boolean isOther(int before) {
        return workers.follows(this) && before != 0 && process != 0 && process != before;
    }

    /** Sleeps where the program runs that it serves alone, if that is how it waits; otherwise anywhere. */
    private void follow(ClientFollower follower) {
        if (!workers.follows(this)) {
            follower.release();
        } else if (!follower.follow(process)) {
            follower.release();
            workers.cannotFollow();
        }
    }

    /** Reads the next request; false if there will be none. */
    private boolean next(Workers.Place place, Native calls, Request request, int thread) {
        if (place == Workers.Place.LOOKOUT && workers.follows(this)) {
            return receive(calls, request, thread);
        }
        if (place == Workers.Place.LOOKOUT) {
            if (look(calls, request)) {
                return receive(calls, request, thread);
            }
            workers.toDevice();
        }
        boolean received = receive(calls, request, thread);
        if (received) {
            workers.busy();
        }
        return received;
    }

    /** Polls for a request, for a moment; true if there is one. Yields the processor meanwhile. */
    @SuppressWarnings("ThreadPriorityCheck")
    private boolean look(Native calls, Request request) {
        long began = System.nanoTime();
        while (workers.looks(this)) {
            if (request.isThere(calls, descriptor)) {
                return true;
            }
            if (workers.isInVain(System.nanoTime(), began)) {
                workers.endLooking(this);
                return false;
            }
            Thread.yield();
        }
        return false;
    }

    /** Waits for a request; false if there will be none. */
    private boolean receive(Native calls, Request request, int thread) {
        while (true) {
            receiving = thread;
            long got = workers.stopping() ? -ENODEV : request.receive(calls, descriptor);
            receiving = 0;
            if (got > 0) {
                return true;
            }
            if (got == NOTHING || got != -ENOENT && got != -Errno.EINTR && got != -EAGAIN) {
                workers.disconnected();
                return false;
            }
        }
    }

    /** True if this thread polls and another request arrived before this one was answered. */
    private boolean serve(Native calls, Request request, Reply reply) {
        long unique = request.unique();
        process = request.process();
        since = System.nanoTime();
        unanswered.setRelease(unique);
        RequestClock.begin(since);
        stats.ask(request.opcode());
        int errno = 0;
        boolean expected = true;
        try {
            expected = operations.answer(request, reply);
        } catch (Exception | Error failed) {
            errno = errnoInAnyCase(failed, request);
        } finally {
            RequestClock.end();
        }
        boolean others = workers.looks(this) && request.isThere(calls, descriptor);
        boolean mine = unanswered.compareAndSet(unique, 0);
        var recording = stats.recording();
        // before the reply: a request that follows from it comes later
        long answered = recording == null ? 0 : System.nanoTime();
        if (errno != 0) {
            if (mine) {
                reply.sendError(calls, descriptor, unique, errno);
            }
        } else if (expected && (!mine || reply.send(calls, descriptor, unique) < 0)) {
            operations.undelivered(reply);
        }
        reply.answered();
        count(request, reply, errno);
        if (recording != null) {
            Note.of(request, reply, stats.name(request.opcode()), recording.time(since), answered - since, errno)
                    .forEach(asked -> stats.tell(recording, asked));
        }
        return others;
    }

    /** A request that is never answered leaves its program unkillable: a failure to describe a failure is EIO. */
    private int errnoInAnyCase(Throwable failed, Request request) {
        try {
            return errno(failed, request);
        } catch (RuntimeException | Error second) {
            return Errno.of(FsError.IO);
        }
    }

    /** NO_ENTRY in a request about a node, not a name, becomes ESTALE: the kernel then looks its name up again. */
    private int errno(Throwable failed, Request request) {
        if (failed instanceof FsException refused && refused.error() == FsError.NO_ENTRY
                && isOfNode(request.opcode())) {
            return Errno.of(FsError.STALE);
        }
        int errno = RequestFailures.errno(failed, () -> words(request, failed));
        if (RequestFailures.isQuota(errno) || RequestFailures.isTrouble(errno) && !writesOut(request.opcode())) {
            stats.failed(words(request, failed), failed);
        }
        return errno;
    }

    private String words(Request request, Throwable failed) {
        var name = stats.name(request.opcode());
        return "%s of %s".formatted(name == null ? "request " + request.opcode() : name,
                operations.words(request, failed));
    }

    /** Whether the request writes out data: such failures are reported as long as the data is there. */
    private static boolean writesOut(int opcode) {
        return switch (opcode) {
            case Opcode.WRITE, Opcode.FLUSH, Opcode.FSYNC, Opcode.RELEASE, Opcode.SYNCFS -> true;
            default -> false;
        };
    }

    private static boolean isOfNode(int opcode) {
        return switch (opcode) {
            case Opcode.GETATTR, Opcode.SETATTR, Opcode.READLINK, Opcode.OPEN, Opcode.OPENDIR, Opcode.GETXATTR,
                    Opcode.LISTXATTR -> true;
            default -> false;
        };
    }

    private void count(Request request, Reply reply, int errno) {
        int opcode = request.opcode();
        stats.count(opcode, System.nanoTime() - since, errno != 0);
        if (errno == 0 && opcode == Opcode.READ) {
            stats.read(reply.size());
        } else if (errno == 0 && opcode == Opcode.WRITE) {
            stats.written(request.get(WriteIn.SIZE));
        }
    }

    // ---- for other threads

    /** The request in progress that has not been answered; 0 if there is none. */
    long unanswered() {
        return unanswered.get();
    }

    /** The requesting thread. */
    int process() {
        return process;
    }

    /** When the request arrived, by {@link System#nanoTime}. */
    long since() {
        return since;
    }

    /** Whether no request has come to it for this long, or one keeps it busy. */
    boolean isHeldUp(long nanos) {
        return System.nanoTime() - since > nanos;
    }

    /** Claims the right to answer this request; false if it is answered. */
    boolean takeOver(long unique) {
        return unanswered.compareAndSet(unique, 0);
    }

    /** The kernel's number of the thread while it waits for a request; otherwise 0. */
    int receiving() {
        return receiving;
    }
}
