package volsh.command.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A directory that is /proc of a machine whose disk is always busy with small reads of 15 ms. */
final class BusyDisk implements AutoCloseable {
    private final Path proc;
    private final long began = System.nanoTime();
    private final Thread writer;
    private volatile boolean closed;

    BusyDisk(Path proc) throws IOException {
        this.proc = Files.createDirectories(proc);
        write();
        this.writer = Thread.ofPlatform().daemon().unstarted(this::run);
        writer.start();
    }

    Path proc() {
        return proc;
    }

    private void run() {
        try {
            while (!closed) {
                write();
                Thread.sleep(5);
            }
        } catch (InterruptedException | UncheckedIOException over) {
            // the test ends
        }
    }

    private void write() {
        long millis = (System.nanoTime() - began) / 1_000_000;
        long reads = 1_000 + millis * 3;   // 3000 a second of 4 KiB, 45 under way
        try {
            var fresh = proc.resolve("diskstats.new");
            Files.writeString(fresh, " 259 0 nvme9n1 %d 0 %d %d 5 0 5 5 45 %d %d\n"
                    .formatted(reads, reads * 8, reads * 15, millis, millis * 45));
            Files.move(fresh, proc.resolve("diskstats"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Nobody writes to the directory any more when this returns. */
    @Override
    public void close() {
        closed = true;
        try {
            writer.join();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
