package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import volsh.fuse.Errno;
import volsh.fuse.MountOptions;
import volsh.fuse.Native;
import volsh.proc.KernelFile;
import volsh.proc.ProcessStat;

/**
 * Lets processes be killed while they wait for a slow answer.
 *
 * <p>The kernel reports when a waiting process gets a signal, but not always: not for direct I/O, and not for files
 * that a dying process closes. And most signals do not matter: a program that receives SIGCHLD must not see its read
 * fail with EINTR. So every request that takes long is checked, and a process that is being killed gets EINTR. Its
 * request runs on and the result is dropped: nothing is interrupted in the middle, so nothing is left half done.
 */
final class Interrupts implements Runnable {
    private static final long EVERY_MILLIS = 200;
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How long a process waits if it got a signal that may or may not be fatal. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long SIGKILL_BIT = 1L << 8;
    private static final int EXITING = 4;

    private final int descriptor;
    private final Workers workers;
    private final MountOptions options;
    private final AnnouncedEntries told;
    private final LinkedBlockingQueue<Long> arrivals = new LinkedBlockingQueue<>();
    private final Set<Long> signalled = new HashSet<>();

    Interrupts(int descriptor, Workers workers, MountOptions options, AnnouncedEntries told) {
        this.descriptor = descriptor;
        this.workers = workers;
        this.options = options;
        this.told = told;
    }

    /** The process behind this request got a signal. */
    void add(long unique) {
        arrivals.add(unique);
    }

    @Override
    public void run() {
        try (var arena = Arena.ofShared()) {
            var calls = new Native(arena);
            var reply = new Reply(calls, arena, options, told, null, null);
            while (!workers.isDisconnected()) {
                var arrived = arrivals.poll(EVERY_MILLIS, TimeUnit.MILLISECONDS);
                if (arrived != null) {
                    signalled.add(arrived);
                    arrivals.drainTo(signalled);
                }
                look(arrived == null ? LONG_NANOS : 0, calls, reply);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Checks all requests that have waited for at least this long. */
    private void look(long nanos, Native calls, Reply reply) {
        var waiting = new ArrayList<Long>();
        for (var worker : workers.all()) {
            long unique = worker.unanswered();
            if (unique != 0) {
                waiting.add(unique);
                if (System.nanoTime() - worker.since() >= nanos && isDying(worker, unique) && worker.takeOver(unique)) {
                    reply.sendError(calls, descriptor, unique, Errno.EINTR);
                }
            }
        }
        if (nanos > 0) {   // otherwise an interrupt may be ahead of its request
            signalled.retainAll(waiting);
        }
    }

    /** Without a process, only the kernel's notification tells of a signal; the kernel's own writes have neither. */
    private boolean isDying(Worker worker, long unique) {
        int process = worker.process();
        return process == 0
                ? signalled.contains(unique) && System.nanoTime() - worker.since() > UNKNOWN_NANOS
                : isBeingKilled(process) || wasKilled(process);
    }

    /** Every fatal signal is pending as SIGKILL. */
    private static boolean isBeingKilled(int process) {
        try {
            return KernelFile.text(Path.of("/proc/" + process + "/status")).lines()
                    .filter(line -> line.startsWith("SigPnd:") || line.startsWith("ShdPnd:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGKILL_BIT) != 0);
        } catch (IOException gone) {
            return false;
        }
    }

    /** Whether it is exiting because of a signal. */
    private static boolean wasKilled(int process) {
        return ProcessStat.of(process).filter(stat -> (stat.flags() & EXITING) != 0 && (stat.exitCode() & 0x7f) != 0)
                .isPresent();
    }
}
