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
 * Writes directly to the disk, bypassing the kernel's cache. Data that is synced right after it is written gains
 * nothing from that cache and pays for a copy, which on two cores was half of all the work. Where a file system refuses
 * direct writes the normal way is taken; so this never fails, it only writes less.
 */
final class UncachedWrites {
    /** Smaller files are not worth the second descriptor. */
    private static final long LEAST = 1 << 20;
    /** Address, offset and length must be multiples of this. */
    private static final int UNIT = 4096;

    private volatile boolean refused = PastTheCache.option().isEmpty();

    /** A second channel to a new file of this size; empty if it would not help or is impossible. */
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

    /** Writes as many whole units from the front of the source as it can, and advances its position. */
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
            refused = true;   // the normal way writes it all again, and reports an error of the disk
        }
    }
}
