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
import java.util.Set;
import volsh.cache.CacheDirectory;
import volsh.volume.Refusal.Reason;

/** The right to fill a cache directory of a volume. It ends with the process. */
final class CacheLock implements AutoCloseable {
    private static final int LONGEST_NUMBER = 32;

    private final FileChannel channel;

    private CacheLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws Refusal BUSY, naming who has it */
    static CacheLock take(Path root) throws IOException {
        var channel = FileChannel.open(root.resolve(CacheDirectory.LOCK),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            if (!isFree(channel)) {
                throw new Refusal(Reason.BUSY, "the cache directory %s is in use by another mount of this volume%s"
                        .formatted(root.getParent(), holder(channel)), "give this mount a --cache-dir of its own");
            }
            channel.write(ByteBuffer.wrap("%-20d%n".formatted(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
            return new CacheLock(channel);
        } catch (IOException | RuntimeException refused) {
            channel.close();
            throw refused;
        }
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

    private static String holder(FileChannel channel) throws IOException {
        var text = ByteBuffer.allocate(LONGEST_NUMBER);
        int length = Math.max(0, channel.read(text, 0));
        var number = new String(text.array(), 0, length, StandardCharsets.US_ASCII).strip();
        return number.isEmpty() ? "" : ", process " + number;
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
