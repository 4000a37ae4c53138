package volsh.warm;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import volsh.block.UnavailableException;
import volsh.cache.disk.PinTooLargeException;
import volsh.codec.CorruptBlockException;
import volsh.fs.FsError;
import volsh.fs.FsException;

/** Counts what a job has done so far, and knows whether it is cancelled. Thread-safe. */
final class WarmTally {
    final LongAdder files = new LongAdder();
    final LongAdder blocks = new LongAdder();
    final LongAdder done = new LongAdder();
    final LongAdder present = new LongAdder();
    final LongAdder fetched = new LongAdder();
    final LongAdder freed = new LongAdder();
    final LongAdder damaged = new LongAdder();
    private volatile long total = -1;
    private volatile boolean full;
    private volatile boolean cancelled;
    private volatile JobStatus.State state = JobStatus.State.RUNNING;
    private volatile JobStatus.@Nullable Problem problem;

    void total(long bytes) {
        total = bytes;
    }

    void full() {
        full = true;
    }

    boolean isFull() {
        return full;
    }

    /** Resets the counters. */
    void restart() {
        List.of(files, blocks, present).forEach(LongAdder::reset);
    }

    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** @throws InterruptedIOException if the job is cancelled */
    void check() throws InterruptedIOException {
        if (cancelled || Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("cancelled");
        }
    }

    void damaged(CorruptBlockException why) {
        damaged.increment();
        problem = new JobStatus.Problem("DAMAGED", String.valueOf(why.getMessage()));
    }

    void ended() {
        state = JobStatus.State.DONE;
    }

    void failed(Throwable why) {
        if (!cancelled) {
            problem = new JobStatus.Problem(kind(why), String.valueOf(why.getMessage()));
        }
        state = cancelled ? JobStatus.State.CANCELLED : JobStatus.State.FAILED;
    }

    private static String kind(Throwable why) {
        return switch (why) {
            case FsException refused -> refused.error().name();
            case PinTooLargeException tooLarge -> FsError.NO_SPACE.name();
            case CorruptBlockException damaged -> "DAMAGED";
            case UnavailableException away -> "UNAVAILABLE";
            case IOException other -> FsError.IO.name();
            default -> FsError.IO.name();
        };
    }

    JobStatus status() {
        var now = state;   // first: once a job has ended its numbers do not change
        return new JobStatus(now, files.sum(), blocks.sum(), done.sum(), total, present.sum(), fetched.sum(),
                freed.sum(), damaged.sum(), full, Optional.ofNullable(problem));
    }
}
