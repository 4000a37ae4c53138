package volsh.vfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import volsh.chunk.FileState;
import volsh.chunk.Readahead;
import volsh.fs.Advice;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Loan;

/** An open regular file. Thread-safe; the caller keeps the position. */
public final class OpenFile implements AutoCloseable {
    private static final int COPY_BYTES = 1 << 20;
    private static final long SEEK_BLOCK = 4096;

    private final Vfs vfs;
    private final FileState state;
    private final Readahead readahead;
    private final Attributes found;
    private final HeldTicks.Hold hold;
    private final int losses;
    private final AtomicBoolean closed = new AtomicBoolean();

    OpenFile(Vfs vfs, FileState state, Attributes found, HeldTicks.Hold hold) {
        this.vfs = vfs;
        this.state = state;
        this.readahead = state.readahead();
        this.found = found;
        this.hold = hold;
        this.losses = state.losses();
        state.opened(found.version());
    }

    public long ino() {
        return state.ino();
    }

    FileState state() {
        return state;
    }

    public Attributes attributes() throws IOException {
        return vfs.attributes(ino());
    }

    /** The attributes as they were when it was opened. */
    public Attributes found() {
        return found;
    }

    /** How the file will be read, through this handle and all others. */
    public void advise(Advice how) {
        state.advise(how);
    }

    /** Reads until the target is full or the file ends; returns the bytes read. */
    public int read(long offset, ByteBuffer target) throws IOException {
        requireOpen();
        readahead.reads(offset, target.remaining());
        return state.read(offset, target);
    }

    /**
     * The same bytes in the memory of a cache, to be sent without copying; null if they have to be read. Close the
     * loan.
     */
    public @Nullable Loan lend(long offset, int length) throws IOException {
        requireOpen();
        readahead.reads(offset, length);
        return state.lend(offset, length);
    }

    /** The maximum size of its blocks. */
    public int blockSize() {
        return state.blockSize();
    }

    /** Whether neighbouring blocks may be in different stores, so that a large read uses several stores at once. */
    public boolean isSpread() {
        return state.isSpread();
    }

    public int write(long offset, ByteBuffer source) throws IOException {
        requireOpen();
        requireKept();
        return state.write(offset, source);
    }

    /** Writes at the end of the file, wherever that is when the bytes are committed. */
    public int append(ByteBuffer source) throws IOException {
        requireOpen();
        requireKept();
        return state.append(source);
    }

    /**
     * Stores the first {@code count} blocks of a file that no other handle has open; returns the offsets of the blocks
     * that the source declined, which the caller writes. Faster than {@link #write} for bytes that are available at
     * once.
     */
    public List<Long> take(int count, Source source) throws IOException {
        requireOpen();
        requireKept();
        return state.take(count, source::read);
    }

    /** The bytes of a new file. Called by several threads. */
    public interface Source {
        /**
         * Fills the target with the file's bytes from {@code offset} on; false if the block they belong to is declined.
         */
        boolean read(long offset, ByteBuffer target) throws IOException;
    }

    public Attributes truncate(long size) throws IOException {
        requireOpen();
        requireKept();
        return state.truncate(size);
    }

    /**
     * Makes the file at least {@code offset + length} bytes long, unless {@code keepSize}. Holes stay holes; the
     * modification time is set in any case.
     */
    public void allocate(long offset, long length, boolean keepSize) throws IOException {
        requireOpen();
        long end = end(offset, length);
        state.extend(keepSize ? 0 : end);
    }

    private static long end(long offset, long length) throws FsException {
        if (offset < 0 || length <= 0) {
            throw new FsException(FsError.INVALID);
        }
        if (offset > Long.MAX_VALUE - length) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        return offset + length;
    }

    /** Makes a range read as zeros. With {@code keepSize} the file does not grow. */
    public void zero(long offset, long length, boolean keepSize) throws IOException {
        requireOpen();
        state.punch(offset, end(offset, length), !keepSize);
    }

    /** What every close does: all bytes written so far reach the store and the metadata. */
    public void flush() throws IOException {
        state.flush();
        requireKept();
    }

    /** Flush, and the metadata survives power loss too. */
    public void fsync() throws IOException {
        requireOpen();
        flush();
        vfs.syncMetadata();
    }

    /**
     * The next offset at or behind {@code offset} that holds data, by blocks of 4 KiB.
     *
     * @throws FsException NO_MORE if there is none
     */
    public long seekData(long offset) throws IOException {
        requireOpen();
        state.flush();
        var content = vfs.table().content(ino(), blockStart(offset), Long.MAX_VALUE - 1);
        if (offset < 0 || offset >= content.attributes().size()) {
            throw new FsException(FsError.NO_MORE);
        }
        if (content.inline() != null && offset < content.inline().length) {
            return offset;
        }
        if (content.extents().isEmpty()) {
            throw new FsException(FsError.NO_MORE);
        }
        return Math.max(offset, blockStart(content.extents().getFirst().start()));
    }

    /**
     * The start of the 4 KiB block of this offset: programs that look for holes expect them to begin and end with
     * blocks.
     */
    private static long blockStart(long offset) {
        return offset & -SEEK_BLOCK;
    }

    /**
     * The next offset at or behind {@code offset} that is a hole, by blocks of 4 KiB; the end of the file counts as
     * one.
     */
    public long seekHole(long offset) throws IOException {
        requireOpen();
        state.flush();
        long at = offset;
        while (true) {
            var content = vfs.table().content(ino(), blockStart(at), Long.MAX_VALUE - 1);
            long size = content.attributes().size();
            if (at < 0 || offset >= size) {
                throw new FsException(FsError.NO_MORE);
            }
            if (content.inline() != null) {
                return Math.min(Math.max(at, blockStart(content.inline().length + SEEK_BLOCK - 1)), size);
            }
            for (var extent : content.extents()) {
                if (blockStart(extent.start()) > at) {
                    return at;
                }
                at = Math.max(at, blockStart(extent.end() + SEEK_BLOCK - 1));
            }
            if (content.complete()) {
                return Math.min(at, size);
            }
        }
    }

    /**
     * Copies a range of this file into another without moving bytes where that is possible; returns the bytes copied.
     */
    public long copyTo(long offset, OpenFile target, long targetOffset, long length) throws IOException {
        requireOpen();
        target.requireOpen();
        if (offset < 0 || targetOffset < 0 || length < 0) {
            throw new FsException(FsError.INVALID);
        }
        long count = Math.min(length, attributes().size() - offset);
        if (count <= 0) {
            return 0;
        }
        if (ino() == target.ino() && Math.abs(offset - targetOffset) < count) {
            throw new FsException(FsError.INVALID, "the two ranges overlap");
        }
        state.flush();
        target.state.flush();
        return target.state.share(ino(), offset, targetOffset, count) ? count
                : copyBytes(offset, target, targetOffset, count);
    }

    private long copyBytes(long offset, OpenFile target, long targetOffset, long count) throws IOException {
        var buffer = ByteBuffer.allocateDirect((int) Math.min(COPY_BYTES, count));
        long done = 0;
        while (done < count
                && read(offset + done, buffer.clear().limit((int) Math.min(buffer.capacity(), count - done))) > 0) {
            done += target.write(targetOffset + done, buffer.flip());
        }
        target.flush();
        return done;
    }

    /** The version that a cache knows that knew version {@code known} and everything this process wrote since. */
    public long versionBehind(long known) {
        return state.versionBehind(known);
    }

    private void requireOpen() throws FsException {
        if (closed.get()) {
            throw new FsException(FsError.BAD_HANDLE);
        }
    }

    /**
     * @throws FsException STALE if bytes written through this handle were dropped: a later write would be without them
     */
    private void requireKept() throws FsException {
        if (state.losses() != losses) {
            throw new FsException(FsError.STALE,
                    "unwritten bytes were dropped: this mount's session was ended,"
                            + " and the file may have changed elsewhere");
        }
    }

    /** Drops bytes that a quota refuses, rather than keeping them: the caller of close gets the error. */
    private void giveUp(FsException refused) {
        if (refused.error() == FsError.QUOTA) {
            try {
                state.giveUpGrowth();
            } catch (IOException second) {
                refused.addSuppressed(second);
            }
        }
    }

    /** Flushes and closes; the handle is closed even if the flush fails. */
    @Override
    public void close() throws IOException {
        close(() -> {});
    }

    /** The same; runs {@code flushed} after a successful flush and before {@link OpenFiles#contains} is false. */
    public void close(Runnable flushed) throws IOException {
        if (closed.compareAndSet(false, true)) {
            try (readahead) {
                flush();
                flushed.run();
            } catch (FsException refused) {
                giveUp(refused);
                throw refused;
            } finally {
                vfs.openFiles().closed(this, hold);
            }
        }
    }
}
