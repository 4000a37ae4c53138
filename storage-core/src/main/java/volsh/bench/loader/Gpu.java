package volsh.bench.loader;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** A simulated GPU: takes a batch, sleeps as long as it would compute, and takes the next. */
final class Gpu {
    static final long LONGEST = Duration.ofHours(1).toNanos();

    private final Samples samples;
    private final LoaderBench.Terms terms;
    private final int workers;

    Gpu(Samples samples, LoaderBench.Terms terms, int workers) {
        this.samples = samples;
        this.terms = terms;
        this.workers = workers;
    }

    /**
     * The results of a simulated GPU.
     *
     * @param steady   nanoseconds after its {@link #head}, or all of them if there were no more batches
     * @param computed nanoseconds of those in which it computed
     */
    record Result(int batches, long bytes, long elapsed, long waited, long steady, long computed, Histogram waits) {}

    /**
     * The number of batches that may be ready when the first one is: they were made while it was awaited, and say
     * nothing about how fast others follow.
     */
    private int head() {
        return Math.max(1, workers * (terms.ahead() + 1));
    }

    Result run() throws IOException {
        var sources = new ArrayList<LoaderWorker>();
        for (int worker = 0; worker < Math.max(1, workers); worker++) {
            sources.add(new LoaderWorker(samples.reader(worker, Math.max(1, workers), terms.batch()), terms));
        }
        try {
            if (workers > 0) {
                sources.forEach(LoaderWorker::start);
            }
            return consume(sources);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped");
        } finally {
            for (var source : sources) {
                source.close();
            }
        }
    }

    private Result consume(List<LoaderWorker> sources) throws IOException, InterruptedException {
        var waits = new Histogram(LONGEST, 3);
        long bytes = 0;
        long waited = 0;
        long computed = 0;
        long computedInHead = 0;
        int done = 0;
        int turn = 0;
        long start = System.nanoTime();
        long endOfHead = start;
        while (done < terms.batches() && !sources.isEmpty() && !terms.stop().getAsBoolean()) {
            long wanted = System.nanoTime();
            var source = sources.get(turn % sources.size());
            long got = workers == 0 ? source.batch() : source.take();
            if (got == Samples.Reader.END) {    // the others continue
                source.close();
                turn = turn % sources.size();
                sources.remove(turn);
                continue;
            }
            long wait = System.nanoTime() - wanted;
            waits.recordValue(Math.clamp(wait, 1, LONGEST));
            waited += wait;
            bytes += got;
            turn++;
            terms.progress().accept(got);
            long begin = System.nanoTime();
            long now = begin;
            if (terms.compute().isPositive()) {
                Thread.sleep(terms.compute());
                now = System.nanoTime();
            }
            computed += now - begin;
            if (++done == head()) {
                endOfHead = now;
                computedInHead = computed;
            }
        }
        long end = System.nanoTime();
        boolean steady = done > head();
        return new Result(done, bytes, end - start, waited, end - (steady ? endOfHead : start),
                computed - (steady ? computedInHead : 0), waits);
    }
}
