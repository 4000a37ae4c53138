package volsh.warm;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.System.Logger;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import volsh.chunk.Caches;
import volsh.disk.Disk;
import volsh.disk.PastTheCache;
import volsh.fs.Attributes;
import volsh.fs.BlockRow;
import volsh.fs.Extent;
import volsh.fuse.BackingFiles;
import volsh.fuse.Native;
import volsh.vfs.Vfs;

/**
 * Whole copies of files in a cache directory, uncompressed, from which the kernel reads by itself. A file is copied in
 * the background when it is opened the second time and all of its blocks are in caches; the copy that was not used for
 * longest goes for it. Copies have no names: they go with this process, however it ends, and no other
 * program can change them.
 *
 * <p>What is copied passes the checks of every read, and is read back from the disk and compared before it is used.
 * What the kernel reads later is not checked; a copy that was not compared for a day is compared when it is opened, and
 * not used until then. One that is damaged is dropped and counted. Thread-safe.
 */
public final class WholeFiles implements BackingFiles, AutoCloseable {
    /** Smaller files are not worth a descriptor. */
    static final long LEAST = 1 << 20;

    private static final Logger LOG = System.getLogger("volsh.mount");
    private static final int PIECE = 1 << 20;
    private static final int OPENS = 2;
    private static final int COPIES_MAX = 512;   // each takes two descriptors
    private static final int NOTED_MAX = 10_000;
    private static final int WAITING_MAX = 64;
    private static final long DAY_NANOS = Duration.ofDays(1).toNanos();

    private final Vfs vfs;
    private final Caches caches;
    private final Disk disk;
    private final Path directory;
    private final long quota;
    private final Free free;
    private final boolean fixed;
    private final LongSupplier nanos;
    private final ThreadPoolExecutor worker = new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(WAITING_MAX), Thread.ofPlatform().daemon().name("cache-expand").factory());

    // guarded by this
    private final Map<Long, Copy> copies = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Version, Integer> noted = new LinkedHashMap<>();
    private final Set<Long> underway = new HashSet<>();
    private long bytes;
    private long opens;
    private long openedBytes;
    private long made;
    private long refused;
    private long evicted;
    private long damaged;
    private boolean closed;

    /** Whether the file system of the directory has room for that many more bytes. */
    public interface Free {
        boolean fits(long bytes) throws IOException;
    }

    /**
     * Copies in this directory, which the disk holds, of at most {@code quota} bytes; {@code fixed}: a past state is
     * mounted, of which no file can change.
     */
    public WholeFiles(Vfs vfs, Caches caches, Disk disk, Path directory, long quota, Free free, boolean fixed) {
        this(vfs, caches, disk, directory, quota, free, fixed, System::nanoTime);
    }

    WholeFiles(Vfs vfs, Caches caches, Disk disk, Path directory, long quota, Free free, boolean fixed,
            LongSupplier nanos) {
        this.disk = disk;
        this.vfs = vfs;
        this.caches = caches;
        this.directory = directory;
        this.quota = quota;
        this.free = free;
        this.fixed = fixed;
        this.nanos = nanos;
    }

    /**
     * The copies and their bytes, of at most {@code quotaBytes}; files that the kernel was given to read by itself, and
     * the sum of their lengths; copies made, not made for lack of room, evicted, and found damaged.
     */
    public record Usage(long copies, long bytes, long quotaBytes, long opens, long openedBytes, long made, long refused,
            long evicted, long damaged) {
        public static final Usage NONE = new Usage(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    private record Version(long ino, long number) {}

    /** A copy, with a checksum for each piece. */
    private final class Copy implements BackingFile {
        private final Attributes file;
        private final FileChannel channel;
        private final int descriptor;
        private final int[] sums;
        // guarded by the owner
        private long comparedNanos;
        private int users;
        private boolean leaving;

        Copy(Attributes file, FileChannel channel, int descriptor, int[] sums) {
            this.file = file;
            this.channel = channel;
            this.descriptor = descriptor;
            this.sums = sums;
            this.comparedNanos = nanos.getAsLong();
        }

        boolean isOf(Attributes other) {
            return file.version() == other.version() && file.size() == other.size();
        }

        @Override
        public int descriptor() {
            return descriptor;
        }

        @Override
        public void opened() {
            count(file.size());
        }

        @Override
        public void close() {
            giveBack(this);
        }
    }

    @Override
    public boolean areAllFixed() {
        return fixed;
    }

    @Override
    public synchronized @Nullable BackingFile find(Attributes file) {
        if (closed || file.size() < LEAST) {
            return null;
        }
        var copy = copies.get(file.ino());
        if (copy != null && !copy.isOf(file)) {
            leave(copy);
            copy = null;
        }
        if (copy == null) {
            note(file);
            return null;
        }
        if (nanos.getAsLong() - copy.comparedNanos > DAY_NANOS) {
            var old = copy;
            begin(file.ino(), () -> compareAgain(old));
            return null;
        }
        copy.users++;
        return copy;
    }

    /** Counts an open; the second one has the file copied. */
    private void note(Attributes file) {
        var version = new Version(file.ino(), file.version());
        if (noted.merge(version, 1, Integer::sum) >= OPENS) {
            noted.remove(version);
            begin(file.ino(), () -> copy(file));
        } else if (noted.size() > NOTED_MAX) {
            noted.remove(noted.keySet().iterator().next());
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private void begin(long ino, Work work) {
        if (!underway.add(ino)) {
            return;
        }
        try {
            worker.execute(() -> {
                try {
                    work.run();
                } catch (IOException failed) {
                    LOG.log(Level.DEBUG, "a file is not copied for the kernel", failed);
                } finally {
                    synchronized (this) {
                        underway.remove(ino);
                    }
                }
            });
        } catch (RejectedExecutionException busy) {
            underway.remove(ino);   // a later open asks again
        }
    }

    // ---- making

    private void copy(Attributes file) throws IOException {
        if (!isComplete(file) || !makeRoom(file.size())) {
            return;
        }
        boolean kept = false;
        Copy copy = null;
        try {
            copy = write(file);
            kept = isRight(copy) && keep(copy);
        } finally {
            if (!kept) {
                synchronized (this) {
                    bytes -= file.size();
                }
                if (copy != null) {
                    end(copy);
                }
            }
        }
    }

    /** Whether all stored bytes of the file are in the caches: else copying it would load it. */
    private boolean isComplete(Attributes file) throws IOException {
        var whole = new boolean[] {true};
        new FileBlocks(vfs).file(file, new FileBlocks.Visitor() {
            @Override
            public void found(long ino, Extent part, BlockRow block) throws IOException {
                whole[0] = whole[0] && caches.has(block, part.offset(), part.offset() + part.length());
            }

            @Override
            public void ended(Attributes ended, long unstored) {}
        });
        return whole[0];
    }

    /** Takes room for a copy, from others if need be; false if there is none. */
    private synchronized boolean makeRoom(long size) throws IOException {
        if (closed || size > quota || !free.fits(size)) {
            refused++;
            return false;
        }
        var idle = copies.values().stream().filter(copy -> copy.users == 0).iterator();
        var leaving = new HashSet<Copy>();
        long left = bytes;
        int count = copies.size();
        while ((left + size > quota || count >= COPIES_MAX) && idle.hasNext()) {
            var copy = idle.next();
            leaving.add(copy);
            left -= copy.file.size();
            count--;
        }
        if (left + size > quota || count >= COPIES_MAX) {
            refused++;
            return false;
        }
        evicted += leaving.size();
        leaving.forEach(this::leave);
        bytes += size;
        return true;
    }

    private Copy write(Attributes file) throws IOException {
        var path = disk.through(directory.resolve(".whole-" + UUID.randomUUID()));
        var channel = FileChannel.open(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS), PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rw-------")));
        int descriptor = -1;
        try {
            descriptor = open(path);
            var sums = fill(file, channel);
            channel.force(false);
            requireSame(path, file, sums);
            return new Copy(file, channel, descriptor, sums);
        } catch (IOException | RuntimeException failed) {
            close(channel, descriptor);
            throw failed;
        } finally {
            Files.deleteIfExists(path);
        }
    }

    private static int open(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            int descriptor = new Native(arena).open(path.toString(), Native.O_NOFOLLOW | Native.O_CLOEXEC);
            if (descriptor < 0) {
                throw new IOException("cannot open %s: error %d".formatted(path, -descriptor));
            }
            return descriptor;
        }
    }

    /** Writes the bytes of the file; returns the checksum of each piece. */
    private int[] fill(Attributes file, FileChannel target) throws IOException {
        var sums = new int[Math.toIntExact((file.size() + PIECE - 1) / PIECE)];
        var buffer = ByteBuffer.allocateDirect(PIECE);
        try (var source = vfs.open(file)) {
            for (int i = 0; i < sums.length; i++) {
                long at = (long) i * PIECE;
                int length = (int) Math.min(PIECE, file.size() - at);
                if (source.read(at, buffer.clear().limit(length)) < length) {
                    throw new IOException("the file is shorter than it was");
                }
                sums[i] = sum(buffer.flip());
                while (buffer.hasRemaining()) {
                    target.write(buffer, at + buffer.position());
                }
            }
        }
        return sums;
    }

    private static int sum(ByteBuffer piece) {
        var crc = new CRC32C();
        crc.update(piece.duplicate());
        return (int) crc.getValue();
    }

    /** Compares what is on the disk, where the file system lets it be read past the kernel's cache. */
    private void requireSame(Path path, Attributes file, int[] sums) throws IOException {
        try (var channel = pastTheCache(path)) {
            if (!isSame(channel, file.size(), sums)) {
                found();
                throw new IOException("a copy was damaged on its way to the disk");
            }
        }
    }

    private static FileChannel pastTheCache(Path path) throws IOException {
        var option = PastTheCache.option();
        if (option.isPresent()) {
            try {
                return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS, option.get());
            } catch (IOException | UnsupportedOperationException notHere) {
                // a file system in memory
            }
        }
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isSame(FileChannel channel, long size, int[] sums) throws IOException {
        if (channel.size() != size) {
            return false;
        }
        var buffer = ByteBuffer.allocateDirect(PIECE + 4096).alignedSlice(4096);
        for (int i = 0; i < sums.length; i++) {
            long at = (long) i * PIECE;
            int length = (int) Math.min(PIECE, size - at);
            buffer.clear().limit(PIECE);
            while (buffer.position() < length) {
                if (channel.read(buffer, at + buffer.position()) <= 0) {
                    return false;
                }
            }
            if (sum(buffer.flip().limit(length)) != sums[i]) {
                return false;
            }
        }
        return true;
    }

    private boolean isRight(Copy copy) throws IOException {
        var now = fixed ? copy.file : vfs.attributes(copy.file.ino());
        return copy.isOf(now);
    }

    private synchronized boolean keep(Copy copy) {
        if (closed) {
            return false;
        }
        var before = copies.get(copy.file.ino());
        if (before != null) {
            leave(before);
        }
        copies.put(copy.file.ino(), copy);
        made++;
        return true;
    }

    // ---- comparing and letting go

    private void compareAgain(Copy copy) throws IOException {
        boolean same = isSame(copy.channel, copy.file.size(), copy.sums);
        synchronized (this) {
            copy.comparedNanos = nanos.getAsLong();
            if (!same && !copy.leaving) {
                leave(copy);
            }
        }
        if (!same) {
            found();
        }
    }

    private synchronized void found() {
        damaged++;
        LOG.log(Level.WARNING, "a whole copy of a file in the cache directory %s was damaged; it was dropped"
                .formatted(directory));
    }

    /** Called under the lock: it cannot be found any more; it ends with its last user, and counts until then. */
    private void leave(Copy copy) {
        copies.remove(copy.file.ino(), copy);
        if (!copy.leaving) {
            copy.leaving = true;
            if (copy.users == 0) {
                bytes -= copy.file.size();
                end(copy);
            }
        }
    }

    private synchronized void count(long size) {
        opens++;
        openedBytes += size;
    }

    private synchronized void giveBack(Copy copy) {
        copy.users--;
        if (copy.leaving && copy.users == 0) {
            bytes -= copy.file.size();
            end(copy);
        }
    }

    private static void end(Copy copy) {
        close(copy.channel, copy.descriptor);
    }

    private static void close(FileChannel channel, int descriptor) {
        try (channel; var arena = Arena.ofConfined()) {
            if (descriptor >= 0) {
                new Native(arena).close(descriptor);
            }
        } catch (IOException ignored) {
            // it goes with the process
        }
    }

    public synchronized Usage usage() {
        return new Usage(copies.size(), bytes, quota, opens, openedBytes, made, refused, evicted, damaged);
    }

    /** Lets go of all copies; call it when the mount has ended. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            Set.copyOf(copies.values()).forEach(this::leave);
        }
        worker.shutdown();
    }
}
