package volsh.volume;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** A file that one process at a time has; it says which. The lock ends with the process. */
final class ProcessLock implements AutoCloseable {
    private static final int LONGEST_NUMBER = 32;

    private final FileChannel channel;

    private ProcessLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Empty if another process has it, or this one already. */
    static Optional<ProcessLock> tryTake(Path file) throws IOException {
        var channel = open(file);
        try {
            if (isFree(channel)) {
                channel.write(ByteBuffer.wrap("%-20d%n".formatted(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
                return Optional.of(new ProcessLock(channel));
            }
            channel.close();
            return Optional.empty();
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    private static boolean isFree(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ours) {
            return false;
        }
    }

    boolean isHeld() {
        return channel.isOpen();
    }

    /** Which process has it or had it last; empty if nobody said so. */
    static String holder(Path file) throws IOException {
        try (var channel = open(file)) {
            var text = ByteBuffer.allocate(LONGEST_NUMBER);
            int length = Math.max(0, channel.read(text, 0));
            return new String(text.array(), 0, length, StandardCharsets.US_ASCII).strip();
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException closedAnyway) {
            // the lock goes with the descriptor
        }
    }
}
