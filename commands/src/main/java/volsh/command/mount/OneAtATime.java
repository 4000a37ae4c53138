package volsh.command.mount;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import volsh.catalog.Home;
import volsh.command.Cancellation;

/** A lock on a mount point across all processes of this home; the kernel releases it when the process ends. */
final class OneAtATime implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final FileChannel file;

    private OneAtATime(FileChannel file) {
        this.file = file;
    }

    static OneAtATime at(Home home, Path mountPoint, Cancellation cancellation) throws IOException {
        Files.createDirectories(home.run());
        Path path = home.run()
                .resolve("ensure-" + HexFormat.of().toHexDigits(mountPoint.toString().hashCode()) + ".lock");
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        try {
            while (!taken(file)) {
                cancellation.check();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return new OneAtATime(file);
        } catch (IOException | RuntimeException failed) {
            file.close();
            throw failed;
        }
    }

    private static boolean taken(FileChannel file) throws IOException {
        try {
            FileLock lock = file.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException byAnotherThread) {
            return false;
        }
    }

    /** Releases the lock. */
    @Override
    public void close() throws IOException {
        file.close();
    }
}
