package volsh.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.READ;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads directly from the disk, bypassing the kernel's cache. A large sequential reader would fill the cache at three
 * times the CPU cost of reading, and push out what others need. What is already cached is taken from there, and the
 * beginning of a file is read through the cache, because many readers read no more. Where a file system refuses direct
 * reads the normal way is taken; so this never fails, it only reads less.
 */
final class UncachedReads {
    /** Smaller reads are not worth the second descriptor. */
    private static final int LEAST = 1 << 20;
    /** How much is read through the cache before the rest bypasses it. */
    private static final long CACHED_FIRST = 32L << 20;
    /** One of this many reads checks whether the data is cached, which takes a mapping and a system call. */
    private static final int ASKED_OF = 4;
    /** Address, offset and length must be multiples of this. */
    private static final int UNIT = 4096;

    private final long cachedFirst;
    private final AtomicLong missed = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private volatile boolean lastCached;
    private final ConcurrentLinkedDeque<ByteBuffer> edges = new ConcurrentLinkedDeque<>();
    private volatile boolean refused = PastTheCache.option().isEmpty();

    UncachedReads() {
        this(CACHED_FIRST);
    }

    UncachedReads(long cachedFirst) {
        this.cachedFirst = cachedFirst;
    }

    /** Fills as much of the target as it can, and advances its position: nothing if the normal way is better. */
    void read(Path path, FileChannel cached, ByteBuffer target, long position) throws IOException {
        boolean fits = target.remaining() >= LEAST && target.isDirect()
                && target.alignmentOffset(target.position(), UNIT) == position % UNIT;
        if (refused || !fits || seemsCached(cached, position + target.remaining() / 2)
                || missed.addAndGet(target.remaining()) <= cachedFirst) {
            return;
        }
        try (var direct = FileChannel.open(path, READ, NOFOLLOW_LINKS, PastTheCache.option().orElseThrow())) {
            read(direct, target, position);
        } catch (ClosedChannelException closed) {
            throw closed;
        } catch (IOException | UnsupportedOperationException notHere) {
            refused = true;   // the normal way reads it, and reports an error of the disk
        }
    }

    /** As the last check found: what is read together was often written, or read before, together. */
    private boolean seemsCached(FileChannel channel, long at) throws IOException {
        if (reads.getAndIncrement() % ASKED_OF == 0) {
            lastCached = isCached(channel, at);
        }
        return lastCached;
    }

    /** Whether the page at this offset is in the kernel's cache. Checking does not load it. */
    private static boolean isCached(FileChannel channel, long at) throws IOException {
        long size = channel.size();
        if (at >= size) {
            return true;   // nothing to read
        }
        try (var arena = Arena.ofConfined()) {
            return channel.map(FileChannel.MapMode.READ_ONLY, at, 1, arena).isLoaded();
        }
    }

    /** One read of whole units: partial units at the ends of the target go through our own memory. */
    private void read(FileChannel direct, ByteBuffer target, long position) throws IOException {
        int before = (int) (position % UNIT);
        int head = before == 0 ? 0 : UNIT - before;
        int whole = (target.remaining() - head) / UNIT * UNIT;
        int tail = target.remaining() - head - whole;
        var edge = edge();
        try {
            var first = edge.slice(0, head == 0 ? 0 : UNIT);
            var middle = target.slice(target.position() + head, whole);
            var last = edge.slice(UNIT, tail == 0 ? 0 : UNIT);
            direct.position(position - before);
            long count = direct.read(parts(first, middle, last)) - before;
            if (count <= 0) {
                return;
            }
            target.put(first.flip().position(Math.min(before, first.limit())));
            target.position(target.position() + middle.position());
            if (!middle.hasRemaining()) {
                target.put(last.flip().limit(Math.min(tail, last.limit())));
            }
        } finally {
            edges.push(edge);
        }
    }

    private static ByteBuffer[] parts(ByteBuffer... parts) {
        var left = new ArrayList<ByteBuffer>();
        for (var part : parts) {
            if (part.hasRemaining()) {
                left.add(part);
            }
        }
        return left.toArray(new ByteBuffer[0]);
    }

    private ByteBuffer edge() {
        var edge = edges.poll();
        return edge == null ? ByteBuffer.allocateDirect(3 * UNIT).alignedSlice(UNIT) : edge;
    }
}
