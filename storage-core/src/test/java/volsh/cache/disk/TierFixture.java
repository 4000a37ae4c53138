package volsh.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import volsh.cache.EpochPolicy;
import volsh.disk.Disk;

/** A cache directory whose frames are made of their keys, so that everybody knows what must be in them. */
final class TierFixture {
    static final int FRAMES = 6;
    static final Path ROOT = Path.of("/cache/volume");

    /** Thousands of troubles would be told of. */
    private static final Logger QUIET = Logger.getLogger("volsh.cache");

    private final Disk disk;
    private final Path root;
    final AtomicLong nanos = new AtomicLong();
    final AtomicReference<Instant> wall = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

    TierFixture(Disk disk, Path root) {
        QUIET.setLevel(Level.SEVERE);
        this.disk = disk;
        this.root = root;
    }

    /** Everything happens in the calling thread. */
    CacheDirectory open(CacheSpace room) throws IOException {
        return new CacheDirectory(disk, root, room, Runnable::run, new EpochPolicy(room.quotaBytes(), 4096),
                new SplittableRandom(7), nanos::get, wall::get);
    }

    static CacheSpace room(long quota) {
        return new CacheSpace(quota, 0, () -> Long.MAX_VALUE);
    }

    /** Bytes of a frame: a few hundred to a few thousand. */
    static int length(long block, int frame) {
        return 300 + (int) ((block * 31 + frame * 17) % 29) * 128;
    }

    static byte[] frame(long block, int frame) {
        var bytes = new byte[length(block, frame)];
        new SplittableRandom(block * 1000 + frame).nextBytes(bytes);
        return bytes;
    }

    static void offer(DiskTier tier, long block, int first, int count) {
        var stored = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            stored[i] = ByteBuffer.wrap(frame(block, first + i));
        }
        tier.offer(block, FRAMES, first, stored);
    }

    /** How many of the frames are there. @throws AssertionError if one has a wrong byte */
    static int read(DiskTier tier, long block, int first, int count) {
        var lengths = new int[count];
        for (int i = 0; i < count; i++) {
            lengths[i] = length(block, first + i);
        }
        var stored = ByteBuffer.allocateDirect(IntStream.of(lengths).sum());
        var here = tier.read(block, first, lengths, stored.duplicate());
        int found = 0;
        for (int i = 0, at = 0; i < count; at += lengths[i++]) {
            if (here[i] && !stored.slice(at, lengths[i]).equals(ByteBuffer.wrap(frame(block, first + i)))) {
                throw new AssertionError("wrong bytes in frame %d of block %d".formatted(first + i, block));
            }
            found += here[i] ? 1 : 0;
        }
        return found;
    }

    /** Is a piece of this frame there? @throws AssertionError if it has a wrong byte */
    static boolean readPiece(DiskTier tier, long block, int frame, int from, int count) {
        var target = ByteBuffer.allocateDirect(count);
        boolean here = tier.readPiece(block, frame, length(block, frame), from, target);
        if (here && !target.flip().equals(ByteBuffer.wrap(frame(block, frame), from, count))) {
            throw new AssertionError("wrong bytes in %d from %d on of frame %d of block %d"
                    .formatted(count, from, frame, block));
        }
        return here;
    }

    /** Bytes of a block file that came at once. */
    static int size(long block) {
        int size = BlockFile.dataStart(FRAMES);
        for (int frame = 0; frame < FRAMES; frame++) {
            size += BlockFile.room(length(block, frame));
        }
        return size;
    }

    /** Bytes of all block files. */
    static long bytes(Disk disk, Path root) throws IOException {
        var total = new AtomicLong();
        new BlockFiles(disk, root).visit((block, size, _) -> total.addAndGet(size));
        return total.get();
    }
}
