package volsh.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import volsh.unit.ByteSize;

/**
 * Files read for a while as a job would, and what a program sees of it. Times are sums over all workers.
 *
 * @param files    that were opened
 * @param openTime total time to open them and get their length
 * @param reads    that were asked for
 * @param took     wall-clock time
 */
public record ReadSample(long files, Duration openTime, long reads, long bytes, Duration readTime, Duration took) {
    private static final int FILES_MAX = 1_000;
    private static final int DEPTH_MAX = 32;

    /** The path itself if it is a file, otherwise some files below it. */
    public static List<Path> files(Path path) throws IOException {
        if (Files.isRegularFile(path)) {
            return List.of(path);
        }
        try (Stream<Path> walk = Files.walk(path, DEPTH_MAX)) {
            return walk.filter(Files::isRegularFile).limit(FILES_MAX).toList();
        }
    }

    /** Workers that each read one file after the other, {@code block} bytes at a time, until the time is up. */
    public static ReadSample of(List<Path> files, int workers, ByteSize block, Duration time,
            BooleanSupplier cancelled) throws IOException, InterruptedException {
        var sums = new Sums();
        long began = System.nanoTime();
        long deadline = began + time.toNanos();
        var next = new AtomicInteger();
        var all = new ArrayList<Future<?>>();
        try (var threads = Executors.newFixedThreadPool(workers,
                Thread.ofPlatform().daemon().name("probe").factory())) {
            for (int i = 0; i < workers; i++) {
                all.add(threads.submit(() -> {
                    var buffer = ByteBuffer.allocateDirect(Math.toIntExact(block.bytes()));
                    while (System.nanoTime() < deadline && !cancelled.getAsBoolean()) {
                        sums.read(files.get(Math.floorMod(next.getAndIncrement(), files.size())), buffer, deadline);
                    }
                    return null;
                }));
            }
            for (var each : all) {
                each.get();
            }
        } catch (ExecutionException failed) {
            Throwable why = failed.getCause() == null ? failed : failed.getCause();
            throw new IOException("cannot read a file: " + why.getMessage(), failed);
        }
        return sums.reading(System.nanoTime() - began);
    }

    /** The sums of the workers so far. */
    private static final class Sums {
        private final AtomicLong files = new AtomicLong();
        private final AtomicLong openNanos = new AtomicLong();
        private final AtomicLong reads = new AtomicLong();
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicLong readNanos = new AtomicLong();

        void read(Path file, ByteBuffer buffer, long deadline) throws IOException {
            long began = System.nanoTime();
            try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
                long size = channel.size();
                files.incrementAndGet();
                long at = System.nanoTime();
                openNanos.addAndGet(at - began);
                for (long offset = 0; offset < size && at < deadline; ) {
                    int got = channel.read(buffer.clear(), offset);
                    long now = System.nanoTime();
                    readNanos.addAndGet(now - at);
                    at = now;
                    reads.incrementAndGet();
                    bytes.addAndGet(Math.max(0, got));
                    offset = got <= 0 ? size : offset + got;
                }
            }
        }

        ReadSample reading(long nanos) {
            return new ReadSample(files.get(), Duration.ofNanos(openNanos.get()), reads.get(), bytes.get(),
                    Duration.ofNanos(readNanos.get()), Duration.ofNanos(nanos));
        }
    }

    public double bytesPerSecond() {
        return bytes / (took.toNanos() / 1e9);
    }

    /** Total time the workers spent in calls. */
    public Duration total() {
        return openTime.plus(readTime);
    }
}
