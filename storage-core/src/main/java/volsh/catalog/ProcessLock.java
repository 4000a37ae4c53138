package volsh.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import volsh.disk.Disk;

/**
 * A lock file that one process at a time holds, and that names this process. The lock ends with the process.
 *
 * <p>The kernel releases a process's lock when the process closes any descriptor of that file. So a file that is locked
 * here is never opened a second time.
 */
public final class ProcessLock implements AutoCloseable {
    private static final int LONGEST_NUMBER = 32;

    private static final Set<Path> HELD = new HashSet<>();

    private final Path place;
    private final FileChannel channel;

    private ProcessLock(Path place, FileChannel channel) {
        this.place = place;
        this.channel = channel;
    }

    /** Empty if another process has it, or this one already. */
    public static Optional<ProcessLock> tryTake(Path file) throws IOException {
        var place = place(file);
        synchronized (HELD) {
            var lock = HELD.contains(place) ? Optional.<ProcessLock>empty() : take(place, file);
            lock.ifPresent(taken -> HELD.add(place));
            return lock;
        }
    }

    /** The same for every way that leads there. */
    private static Path place(Path file) throws IOException {
        return Disk.directoryOf(file.toAbsolutePath()).toRealPath().resolve(file.getFileName());
    }

    private static Optional<ProcessLock> take(Path place, Path file) throws IOException {
        var channel = open(file);
        try {
            if (channel.tryLock() != null) {
                sign(channel);
                return Optional.of(new ProcessLock(place, channel));
            }
            channel.close();
            return Optional.empty();
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    /** Only a courtesy: on a full disk it may fail, and the lock is held all the same. */
    private static void sign(FileChannel channel) {
        try {
            String number = "%-20d%n".formatted(ProcessHandle.current().pid());
            channel.write(ByteBuffer.wrap(number.getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException unsigned) {
            // a process that waits for the lock cannot name this one
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ,
                        StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    boolean isHeld() {
        return channel.isOpen();
    }

    /** The process that has it or had it last; empty if the file does not name one. */
    public static String holder(Path file) throws IOException {
        synchronized (HELD) {
            return HELD.contains(place(file)) ? Long.toString(ProcessHandle.current().pid()) : written(file);
        }
    }

    private static String written(Path file) throws IOException {
        try (var channel = open(file)) {
            var text = ByteBuffer.allocate(LONGEST_NUMBER);
            int length = Math.max(0, channel.read(text, 0));
            return new String(text.array(), 0, length, StandardCharsets.US_ASCII).strip();
        }
    }

    @Override
    public void close() {
        synchronized (HELD) {
            if (channel.isOpen()) {
                HELD.remove(place);
            }
            try {
                channel.close();
            } catch (IOException closedAnyway) {
                // the lock goes with the descriptor
            }
        }
    }
}
