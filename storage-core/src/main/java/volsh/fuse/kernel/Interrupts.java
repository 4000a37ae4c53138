package volsh.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import volsh.fuse.Errno;
import volsh.fuse.MountOptions;

/**
 * Lets processes die that wait for an answer which takes its time.
 *
 * <p>The kernel says when a process with a request under way gets a signal. Most signals do not matter: a program that
 * hears of a child's end must not find its read of a file interrupted, so these requests are only watched. But one that is
 * being killed is told EINTR at once. What it asked for runs on and its answer is dropped: nothing is interrupted in the
 * middle, so nothing is left half done.
 *
 * <p>A process that dies closes its files, and the kernel sends no interrupt for those flushes: they are watched when they
 * take long.
 */
final class Interrupts implements Runnable {
    private static final long EVERY_MILLIS = 50;
    private static final long IDLE_MILLIS = 500;
    /** How long an interrupt may be ahead of its request. */
    private static final long AHEAD_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** How long a process waits of which we cannot know whether it is being killed. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LONG_FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SIGKILL_BIT = 1L << 8;
    private static final int EXITING = 4;

    private final int descriptor;
    private final Workers workers;
    private final MountOptions options;
    private final LinkedBlockingQueue<Watch> arrivals = new LinkedBlockingQueue<>();
    private final List<Watch> watched = new ArrayList<>();

    private record Watch(long unique, long since) {}

    Interrupts(int descriptor, Workers workers, MountOptions options) {
        this.descriptor = descriptor;
        this.workers = workers;
        this.options = options;
    }

    /** Whoever asked this got a signal. */
    void add(long unique) {
        arrivals.add(new Watch(unique, System.nanoTime()));
    }

    @Override
    public void run() {
        try (var arena = Arena.ofShared()) {
            var calls = new Native(arena);
            var reply = new Reply(calls, arena, options.attributeTimeout(), options.entryTimeout());
            while (!workers.stopping() && !workers.isGone()) {
                var arrived = arrivals.poll(watched.isEmpty() ? IDLE_MILLIS : EVERY_MILLIS, TimeUnit.MILLISECONDS);
                if (arrived != null) {
                    watched.add(arrived);
                    arrivals.drainTo(watched);
                }
                watched.removeIf(watch -> isSettled(watch, calls, reply));
                endFlushesOfTheDead(calls, reply);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isSettled(Watch watch, Native calls, Reply reply) {
        for (var worker : workers.all()) {
            if (worker.unanswered() == watch.unique()) {
                return isBeingKilled(worker) && interrupt(worker, watch.unique(), calls, reply);
            }
        }
        return System.nanoTime() - watch.since() > AHEAD_NANOS;   // answered, or not here yet
    }

    private void endFlushesOfTheDead(Native calls, Reply reply) {
        for (var worker : workers.all()) {
            long unique = worker.unanswered();
            if (unique != 0 && worker.opcode() == Opcode.FLUSH && System.nanoTime() - worker.since() > LONG_FLUSH_NANOS
                    && wasKilled(worker.process())) {
                interrupt(worker, unique, calls, reply);
            }
        }
    }

    private boolean interrupt(Worker worker, long unique, Native calls, Reply reply) {
        if (worker.takeOver(unique)) {
            reply.sendError(calls, descriptor, unique, Errno.EINTR);
        }
        return true;
    }

    /** A fatal signal, whichever it is, is pending as SIGKILL. */
    private static boolean isBeingKilled(Worker worker) {
        if (worker.process() == 0) {
            return System.nanoTime() - worker.since() > UNKNOWN_NANOS;
        }
        try {
            return Files.readString(Path.of("/proc/" + worker.process() + "/status"), StandardCharsets.ISO_8859_1).lines()
                    .filter(line -> line.startsWith("SigPnd:") || line.startsWith("ShdPnd:"))
                    .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGKILL_BIT) != 0);
        } catch (NoSuchFileException gone) {
            return true;
        } catch (IOException unknown) {
            return false;
        }
    }

    /** Is it on its way out, because of a signal? Its flags are field 9 of what the kernel says, its exit code the last. */
    private static boolean wasKilled(int process) {
        try {
            var text = Files.readString(Path.of("/proc/" + process + "/stat"), StandardCharsets.ISO_8859_1).strip();
            var fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[6]) & EXITING) != 0 && (Long.parseLong(fields[fields.length - 1]) & 0x7f) != 0;
        } catch (IOException gone) {
            return false;
        }
    }
}
