package volsh.volume;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import volsh.volume.Refusal.Reason;

/**
 * The right to change the catalog: a lock on a file that holds the number of the process that has it. It ends with the
 * process.
 */
final class CatalogLock implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int LONGEST_NUMBER = 32;
    private static final Set<OpenOption> HOW = Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    private static final FileAttribute<?> MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final FileChannel channel;
    private final FileLock lock;

    private CatalogLock(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /** Waits its turn. @throws Refusal BUSY after a minute, naming who is in the way */
    static CatalogLock take(Path file) throws IOException {
        var channel = FileChannel.open(file, HOW, MODE);
        try {
            var taken = new CatalogLock(channel, await(channel, file));
            taken.sign();
            return taken;
        } catch (IOException | RuntimeException refused) {
            channel.close();
            throw refused;
        }
    }

    private static FileLock await(FileChannel channel, Path file) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() < deadline) {
            FileLock lock = attempt(channel);
            if (lock != null) {
                return lock;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while waiting for the catalog");
            }
        }
        throw new Refusal(Reason.BUSY,
                "another volsh, %s, has been changing the catalog for a minute: %s".formatted(holder(channel), file));
    }

    /** Null if another process has it, or another catalog object of this one, which Java refuses to wait for. */
    private static FileLock attempt(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException ours) {
            return null;
        }
    }

    private static String holder(FileChannel channel) throws IOException {
        var text = ByteBuffer.allocate(LONGEST_NUMBER);
        channel.read(text, 0);
        String number = new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).strip();
        return number.isEmpty() ? "an unknown process" : "process " + number;
    }

    /** Only a courtesy: on a full disk it may fail, and the lock is held all the same. */
    private void sign() {
        try {
            String number = "%-20d%n".formatted(ProcessHandle.current().pid());
            channel.write(ByteBuffer.wrap(number.getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException unsigned) {
            // Whoever waits for us will not read who we are.
        }
    }

    boolean isHeld() {
        return lock.isValid();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
