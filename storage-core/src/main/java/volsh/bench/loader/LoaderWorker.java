package volsh.bench.loader;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** Makes batches of samples: on its own thread, a few in advance, or on the caller's. */
final class LoaderWorker implements AutoCloseable {
    private static final long FAILED = -2;

    private final Samples.Reader reader;
    private final LoaderBench.Terms terms;
    private final BlockingQueue<Long> made;
    private volatile @Nullable Exception failure;
    private @Nullable Thread thread;

    LoaderWorker(Samples.Reader reader, LoaderBench.Terms terms) {
        this.reader = reader;
        this.terms = terms;
        this.made = new ArrayBlockingQueue<>(terms.ahead());
    }

    void start() {
        thread = Thread.ofPlatform().daemon().name("loader").start(this::produce);
    }

    private void produce() {
        try {
            for (long bytes = batch(); bytes != Samples.Reader.END && !terms.stop().getAsBoolean(); bytes = batch()) {
                made.put(bytes);
            }
            made.put(Samples.Reader.END);
        } catch (IOException | RuntimeException broken) {
            failure = broken;
            made.clear();
            made.add(FAILED);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next finished batch. */
    long take() throws IOException, InterruptedException {
        long bytes = made.take();
        if (bytes == FAILED) {
            throw new IOException("a loader worker failed: %s".formatted(failure == null ? "" : failure.getMessage()),
                    failure);
        }
        return bytes;
    }

    /** Makes a batch: returns its bytes, or the end if there are not enough samples left. */
    long batch() throws IOException {
        long bytes = 0;
        for (int sample = 0; sample < terms.batch(); sample++) {
            long one = reader.next();
            if (one == Samples.Reader.END) {
                return Samples.Reader.END;
            }
            bytes += one;
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

    @Override
    public void close() throws IOException {
        if (thread != null) {
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
        reader.close();
    }
}
