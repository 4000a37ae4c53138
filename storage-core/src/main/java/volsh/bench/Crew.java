package volsh.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;
import volsh.unit.ByteSize;

/**
 * Threads that repeat a task until it is done, the time is up, or it is cancelled. Each prepares its part before the
 * clock starts.
 *
 * <p>At full speed, an operation begins when the previous one ends. With a pace each has a due time, and its latency
 * counts from there: an operation that hangs delays those due after it, as it would for real users. This corrects for
 * coordinated omission.
 */
public final class Crew {
    private static final int DIGITS = 3;
    private static final long LONGEST = Duration.ofHours(1).toNanos();

    /** Progress is reported in steps of this many bytes, so that it does not slow down small operations. */
    private static final long REPORT_BYTES = 1 << 18;

    private final int threads;
    private final Terms terms;
    private final CrewClock ticks;

    public Crew(int threads, Terms terms) {
        this(threads, terms, CrewClock.SYSTEM);
    }

    Crew(int threads, Terms terms, CrewClock ticks) {
        this.threads = threads;
        this.terms = terms;
        this.ticks = ticks;
    }

    private record Tally(long operations, long bytes, long first, long last, Histogram nanos) {}

    /** Runs it. @throws IOException the first failure of any member; the others stop then */
    public Measurement run(String phase, long each, Task task) throws IOException {
        var parts = new ArrayList<Task.Part>();
        try {
            for (int member = 0; member < threads; member++) {
                parts.add(task.part(member));
            }
            return sum(phase, each, all(parts));
        } finally {
            for (var part : parts) {
                part.close();
            }
        }
    }

    private List<Tally> all(List<Task.Part> parts) throws IOException {
        var ready = new CountDownLatch(parts.size());   // starting many threads takes time that must not count
        var failed = new AtomicBoolean();
        try (var pool = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("bench-", 0).factory())) {
            var running = new ArrayList<Future<Tally>>();
            for (var part : parts) {
                running.add(pool.submit(() -> {
                    ready.countDown();
                    ready.await();
                    try {
                        return repeat(part, failed);
                    } catch (IOException | RuntimeException broken) {
                        failed.set(true);
                        throw broken;
                    }
                }));
            }
            var tallies = new ArrayList<Tally>();
            for (var one : running) {
                tallies.add(one.get());
            }
            return tallies;
        } catch (ExecutionException broken) {
            throw broken.getCause() instanceof IOException io ? io : new IOException(broken.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped");
        }
    }

    private Tally repeat(Task.Part part, AtomicBoolean failed) throws IOException {
        var nanos = new Histogram(LONGEST, DIGITS);
        long operations = 0;
        long bytes = 0;
        long reported = 0;
        long start = ticks.now();
        long deadline = terms.duration().map(time -> start + time.toNanos()).orElse(Long.MAX_VALUE);
        long every = terms.pace().isPresent() ? (long) (1e9 * threads / terms.pace().getAsDouble()) : 0;
        long begin = start;
        while (begin - deadline < 0 && !failed.get() && !terms.stop().getAsBoolean()) {
            ticks.await(begin, terms.stop());
            long moved = part.once();
            long end = ticks.now();
            if (moved == Task.Part.END) {
                break;
            }
            nanos.recordValue(Math.clamp(end - begin, 1, LONGEST));
            operations++;
            bytes += moved;
            if (bytes - reported >= REPORT_BYTES) {
                terms.progress().accept(bytes - reported);
                reported = bytes;
            }
            begin = every == 0 ? end : begin + every;
        }
        part.finish();
        long end = ticks.now();
        terms.progress().accept(bytes - reported);
        return new Tally(operations, bytes, start, end, nanos);
    }

    private Measurement sum(String phase, long each, List<Tally> tallies) {
        var nanos = new Histogram(LONGEST, DIGITS);
        tallies.forEach(tally -> nanos.add(tally.nanos()));
        long first = tallies.stream().mapToLong(Tally::first).min().orElseThrow();
        long last = tallies.stream().mapToLong(Tally::last).max().orElseThrow();
        return new Measurement(phase, threads, new ByteSize(each), tallies.stream().mapToLong(Tally::operations).sum(),
                new ByteSize(tallies.stream().mapToLong(Tally::bytes).sum()),
                Duration.ofNanos(Math.max(1, last - first)), OperationLatencies.of(nanos));
    }
}
