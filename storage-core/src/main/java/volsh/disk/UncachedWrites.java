package volsh.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Writes that go from our memory to the disk, past the kernel's cache. What is synced right after it is written gains
 * nothing from that cache and pays for a copy, which on two cores was half of all the work. Where a file system refuses
 * such writes the ordinary way is taken; so this never fails, it only writes less.
 */
final class UncachedWrites {
    /** Smaller files are not worth the second descriptor. */
    private static final long LEAST = 1 << 20;
    /** What memory, place and length must be a multiple of. */
    private static final int UNIT = 4096;

    private volatile boolean refused = PastTheCache.option().isEmpty();

    /** A second way into a file of this size that was just created; empty if it would not help or cannot be. */
    Optional<FileChannel> open(Path path, long size) {
        if (refused || size < LEAST) {
            return Optional.empty();
        }
        try {
            return Optional.of(FileChannel.open(path, WRITE, NOFOLLOW_LINKS, PastTheCache.option().orElseThrow()));
        } catch (IOException | UnsupportedOperationException notHere) {
            refused = true;
            return Optional.empty();
        }
    }

    /** Writes as many whole units from the front of the source as it can, and moves its position behind them. */
    void write(FileChannel channel, ByteBuffer source, long position) throws IOException {
        int length = source.remaining() / UNIT * UNIT;
        boolean aligned = source.isDirect() && position % UNIT == 0
                && source.alignmentOffset(source.position(), UNIT) == 0;
        if (refused || !aligned || length == 0) {
            return;
        }
        var units = source.slice(source.position(), length);
        try {
            while (units.hasRemaining()) {
                channel.write(units, position + units.position());
            }
            source.position(source.position() + length);
        } catch (ClosedChannelException closed) {
            throw closed;
        } catch (IOException notHere) {
            refused = true;   // the ordinary way writes it all again, and tells if the disk is to blame
        }
    }
}
