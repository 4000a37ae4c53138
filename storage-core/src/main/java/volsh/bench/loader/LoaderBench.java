package volsh.bench.loader;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import volsh.bench.Measurement;
import volsh.bench.OperationLatencies;
import volsh.bench.PageCache;
import volsh.unit.ByteSize;

/**
 * Reads a dataset in batches like a DataLoader, with an increasing number of workers, while simulated GPUs take a
 * batch, compute and take the next. Each GPU has its own workers and reads a part of the dataset. Each batch is made by
 * one worker; a GPU takes them from its workers in turn; a worker is at most {@code ahead} batches early. Without
 * workers a batch is made on demand.
 */
public final class LoaderBench {
    private static final double GOOD_ENOUGH = 0.98;

    private final Samples samples;
    private final Terms terms;

    public LoaderBench(Samples samples, Terms terms) {
        this.samples = samples;
        this.terms = terms;
    }

    /**
     * @param batch   samples of a batch
     * @param batches how many per GPU, at most as many as the dataset has
     * @param compute how long a GPU computes on one
     * @param decode  how long a worker decodes a sample after reading it
     * @param gpus    how many at the same time
     */
    public record Terms(int batch, int batches, int ahead, Duration compute, Duration decode, int gpus,
            BooleanSupplier stop, LongConsumer progress) {
        private static final int GPUS_MAX = 1024;

        public Terms {
            if (batch < 1 || batches < 1 || ahead < 1) {
                throw new IllegalArgumentException(
                        "the number of batches, their samples and the prefetch must be at least 1");
            }
            if (gpus < 1 || gpus > GPUS_MAX) {
                throw new IllegalArgumentException("the number of GPUs must be 1 to %d, not %d"
                        .formatted(GPUS_MAX, gpus));
            }
        }
    }

    /**
     * The result for one number of workers, over all GPUs.
     *
     * @param waits       how long GPUs waited for a batch
     * @param stall       the fraction of time they waited, between 0 and 1
     * @param utilisation the fraction of time they computed, after using up the batches that were made while they
     * waited for the first: what MLPerf Storage calls AU, which counts from the second batch on and has hundreds.
     * Without further batches, the fraction of all the time
     */
    public record Row(int workers, int gpus, long samples, ByteSize bytes, Duration elapsed, OperationLatencies waits,
            double stall, double utilisation) {
        public double samplesPerSecond() {
            return samples / seconds();
        }

        public double bytesPerSecond() {
            return bytes.bytes() / seconds();
        }

        private double seconds() {
            return Math.max(1e-9, elapsed.toNanos() / 1e9);
        }

        /** As a stored measurement: an operation is a sample, a latency is a GPU's wait for a batch. */
        public Measurement kept(String phase) {
            return new Measurement(phase, workers, new ByteSize(0), samples, bytes, elapsed, waits,
                    java.util.Map.of("stall", stall, "utilisation", utilisation));
        }
    }

    /** One row for each number of workers. */
    public List<Row> run(List<Integer> workers) throws IOException {
        var rows = new ArrayList<Row>();
        for (int number : workers) {
            PageCache.drop();
            rows.add(row(number));
            if (terms.stop().getAsBoolean()) {
                break;
            }
        }
        return rows;
    }

    /** The fewest workers that are nearly as fast as the fastest. */
    public static Row best(List<Row> rows) {
        double most = rows.stream().mapToDouble(Row::samplesPerSecond).max().orElseThrow();
        return rows.stream().filter(row -> row.samplesPerSecond() >= GOOD_ENOUGH * most)
                .min(Comparator.comparingInt(Row::workers)).orElseThrow();
    }

    private Row row(int workers) throws IOException {
        var results = all(workers);
        long batches = results.stream().mapToLong(Gpu.Result::batches).sum();
        if (batches == 0 && !terms.stop().getAsBoolean()) {
            throw new IllegalArgumentException("too few samples: %s are less than a batch of %d for %s"
                    .formatted(samples.description(), terms.batch(),
                            terms.gpus() > 1 ? "each GPU" : workers > 1 ? "each worker" : "a worker"));
        }
        var waits = new Histogram(Gpu.LONGEST, 3);
        results.forEach(result -> waits.add(result.waits()));
        long elapsed = results.stream().mapToLong(Gpu.Result::elapsed).max().orElse(1);
        long time = results.stream().mapToLong(Gpu.Result::elapsed).sum();
        long steady = results.stream().mapToLong(Gpu.Result::steady).sum();
        return new Row(workers, terms.gpus(), batches * terms.batch(), new ByteSize(
                results.stream().mapToLong(Gpu.Result::bytes).sum()), Duration.ofNanos(Math.max(1, elapsed)),
                OperationLatencies.of(waits), part(results.stream().mapToLong(Gpu.Result::waited).sum(), time),
                part(results.stream().mapToLong(Gpu.Result::computed).sum(), steady));
    }

    private static double part(long some, long all) {
        return Math.clamp((double) some / Math.max(1, all), 0, 1);
    }

    private List<Gpu.Result> all(int workers) throws IOException {
        try (var pool = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("gpu-", 0).factory())) {
            var running = new ArrayList<Future<Gpu.Result>>();
            for (int rank = 0; rank < terms.gpus(); rank++) {
                var gpu = new Gpu(samples.part(rank, terms.gpus()), terms, workers);
                running.add(pool.submit(gpu::run));
            }
            var results = new ArrayList<Gpu.Result>();
            for (var one : running) {
                results.add(one.get());
            }
            return results;
        } catch (ExecutionException broken) {
            throw broken.getCause() instanceof IOException io ? io : new IOException(broken.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException("stopped");
        }
    }
}
