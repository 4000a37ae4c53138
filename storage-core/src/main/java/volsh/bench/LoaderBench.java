package volsh.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import volsh.unit.ByteSize;

/**
 * Reads files in shuffled batches as a DataLoader does, with more and more workers, while a GPU that does not exist takes a batch,
 * computes and takes the next. Each batch is made by one worker; batches arrive in order; a worker is at most {@code ahead}
 * batches early. Without workers the batch is made when it is wanted.
 */
public final class LoaderBench {
    private static final int FILES_MAX = 1_000_000;
    private static final double GOOD_ENOUGH = 0.98;

    private final Terms terms;

    public LoaderBench(Terms terms) {
        this.terms = terms;
    }

    /**
     * @param batch   samples of a batch
     * @param batches how many, at most as many as the files make
     * @param compute how long the GPU is busy with one
     * @param decode  how long a worker is busy with a sample after it was read
     */
    public record Terms(Path directory, int batch, int batches, int ahead, Duration compute, Duration decode, long seed, BooleanSupplier stop,
            LongConsumer progress) {
        public Terms {
            if (batch < 1 || batches < 1 || ahead < 1) {
                throw new IllegalArgumentException("batches, their samples and how many are made ahead are at least 1");
            }
        }
    }

    /**
     * What one number of workers came to.
     *
     * @param waits how long the GPU waited for a batch
     * @param stall the part of the time it waited, between 0 and 1
     */
    public record Row(int workers, long samples, ByteSize bytes, Duration elapsed, Latencies waits, double stall) {
        public double samplesPerSecond() {
            return samples / Math.max(1e-9, elapsed.toNanos() / 1e9);
        }
    }

    /** One row for each number of workers. */
    public List<Row> run(List<Integer> workers) throws IOException {
        var files = new ArrayList<>(Sources.below(terms.directory(), FILES_MAX, terms.stop()));
        Collections.shuffle(files, new Random(terms.seed()));
        int count = Math.min(terms.batches(), files.size() / terms.batch());
        if (count == 0) {
            throw new IllegalArgumentException("%d files are less than a batch of %d".formatted(files.size(), terms.batch()));
        }
        var rows = new ArrayList<Row>();
        for (int number : workers) {
            PageCache.drop();
            rows.add(number == 0 ? alone(files, count) : together(files, count, number));
        }
        return rows;
    }

    /** The fewest workers that are nearly as fast as the fastest. */
    public static Row best(List<Row> rows) {
        double most = rows.stream().mapToDouble(Row::samplesPerSecond).max().orElseThrow();
        return rows.stream().filter(row -> row.samplesPerSecond() >= GOOD_ENOUGH * most).min(java.util.Comparator.comparingInt(Row::workers))
                .orElseThrow();
    }

    private interface Supply {
        long take(int batch) throws IOException, InterruptedException;
    }

    private Row alone(List<Path> files, int count) throws IOException {
        return consume(0, count, batch -> load(files, batch));
    }

    private Row together(List<Path> files, int count, int workers) throws IOException {
        var failure = new AtomicReference<IOException>();
        var queues = new ArrayList<BlockingQueue<Long>>();
        var threads = new ArrayList<Thread>();
        for (int worker = 0; worker < workers; worker++) {
            var queue = new ArrayBlockingQueue<Long>(terms.ahead());
            int first = worker;
            queues.add(queue);
            threads.add(Thread.ofPlatform().daemon().name("loader-" + worker).start(() -> produce(files, first, workers, count, queue, failure)));
        }
        try {
            return consume(workers, count, batch -> {
                long bytes = queues.get(batch % workers).take();
                if (bytes < 0) {
                    throw new IOException("a worker failed", failure.get());
                }
                return bytes;
            });
        } finally {
            for (var thread : threads) {
                thread.interrupt();
            }
        }
    }

    private void produce(List<Path> files, int first, int workers, int count, BlockingQueue<Long> queue, AtomicReference<IOException> failure) {
        try {
            for (int batch = first; batch < count && !terms.stop().getAsBoolean(); batch += workers) {
                queue.put(load(files, batch));
            }
        } catch (IOException broken) {
            failure.compareAndSet(null, broken);
            queue.clear();
            queue.add(-1L);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads a batch's files; the bytes it has. */
    private long load(List<Path> files, int batch) throws IOException {
        long bytes = 0;
        for (int sample = 0; sample < terms.batch(); sample++) {
            bytes += Files.readAllBytes(files.get(batch * terms.batch() + sample)).length;
            spin(terms.decode());
        }
        return bytes;
    }

    private static void spin(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    private Row consume(int workers, int count, Supply supply) throws IOException {
        var waits = new Histogram(Duration.ofHours(1).toNanos(), 3);
        long bytes = 0;
        long waited = 0;
        int done = 0;
        long start = System.nanoTime();
        try {
            for (; done < count && !terms.stop().getAsBoolean(); done++) {
                long wanted = System.nanoTime();
                long got = supply.take(done);
                long wait = System.nanoTime() - wanted;
                waits.recordValue(Math.max(1, wait));
                waited += wait;
                bytes += got;
                terms.progress().accept(got);
                Thread.sleep(terms.compute());
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped");
        }
        long elapsed = Math.max(1, System.nanoTime() - start);
        return new Row(workers, (long) done * terms.batch(), new ByteSize(bytes), Duration.ofNanos(elapsed), Latencies.of(waits), (double) waited / elapsed);
    }
}
