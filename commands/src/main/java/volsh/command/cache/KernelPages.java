package volsh.command.cache;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.bench.PageCache;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.system.Residency;

/**
 * Brings files of mounts into the kernel's page cache, by reading them, as advice alone promises nothing; or has it
 * forget them.
 */
final class KernelPages {
    private static final int PIECE = 1 << 20;

    private final Session session;
    private final int parallel;

    KernelPages(Session session, int parallel) {
        this.session = session;
        this.parallel = parallel;
    }

    /** What was there before, and what is there now. */
    record Filled(long files, long bytes, long before, long resident) {}

    /** The regular files at or below a path. */
    static List<Path> files(Path path) throws IOException {
        try (var all = Files.walk(path)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    Filled fill(Path path) throws IOException {
        var files = files(path);
        long bytes = 0;
        for (var file : files) {
            bytes += Files.size(file);
        }
        long before = resident(files);
        try (var progress = session.progress("page cache", bytes)) {
            read(files, progress);
        }
        return new Filled(files.size(), bytes, before, resident(files));
    }

    /** Has the kernel forget the pages of these files, but those that are not written yet or in use. */
    Filled drop(Path path) throws IOException {
        var files = files(path);
        long before = resident(files);
        for (var file : files) {
            session.cancellation().check();
            PageCache.forget(file);
        }
        return new Filled(files.size(), before, before, resident(files));
    }

    private long resident(List<Path> files) throws IOException {
        long resident = 0;
        for (var file : files) {
            session.cancellation().check();
            resident += Residency.of(file).resident().bytes();
        }
        return resident;
    }

    private void read(List<Path> files, Progress progress) throws IOException {
        var pool = Executors.newFixedThreadPool(parallel, Thread.ofPlatform().daemon().name("pages-", 0).factory());
        try {
            var reads = new ArrayList<Future<?>>();
            for (var file : files) {
                reads.add(pool.submit(() -> {
                    read(file, progress);
                    return null;
                }));
            }
            for (var read : reads) {
                read.get();
            }
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case IOException io -> throw io;
                case RuntimeException stopped -> throw stopped;
                case null, default -> throw new IOException(failed);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        } finally {
            pool.shutdownNow();
        }
    }

    private void read(Path file, Progress progress) throws IOException {
        try (var channel = FileChannel.open(file)) {
            var piece = ByteBuffer.allocateDirect(Math.clamp(channel.size(), 1, PIECE));
            for (int count = channel.read(piece); count >= 0; count = channel.read(piece.clear())) {
                session.cancellation().check();
                progress.add(count);
            }
        }
    }
}
