package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import volsh.fs.Advice;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Loan;

/**
 * The bytes of one open file, shared by all its handles in this process.
 *
 * <p>Written bytes gather in one {@link Dirty} per block-sized window. A full window, a flush, or a lack of memory
 * <em>seals</em> it: its block is uploaded, then the metadata commits the extents, then the memory is released. Until
 * then readers find the bytes here, over what the metadata has; so they see old bytes or new ones, never a hole.
 *
 * <pre>
 *   write ─▶ open ──seal──▶ sealed ──upload──▶ commit ──▶ gone
 *              ▲                └──── failed ────┐
 *              └────── reopened by the next flush ┘
 * </pre>
 *
 * <p>Two locks, taken in this order: {@code commits} orders everything that changes the file's rows (commit, truncate,
 * punch), and is held across the metadata's transaction; that of {@link Windows} guards the buffers, and is never held
 * across any I/O. Truncate also cuts buffers that are being flushed: only what is left of them is committed.
 */
public final class FileState {
    private static final long SIZE_MAX = 1L << 60;
    /** Windows with at least this many bytes get all their memory at once. */
    private static final int EAGER = 256 << 10;
    /** Without a cache, smaller reads are copied, which is faster than lending. */
    private static final int LENT_MIN = 512 << 10;

    /**
     * What unwritten bytes change of the attributes: the smallest size of the file, and when it was last written (0:
     * unknown).
     */
    public record Pending(long end, long mtime) {
        public static final Pending NOTHING = new Pending(0, 0);
    }

    private final long ino;
    private final Chunks chunks;
    private final int blockSize;
    private final Windows windows;
    private final Flush flush;
    private final FlushAll flushing;
    private final ExtentView view;
    private final ReadsInFlight inFlight = new ReadsInFlight();
    private final ReentrantLock commits = new ReentrantLock();
    private final ReentrantLock appending = new ReentrantLock();   // taken before the other two
    private Run own = new Run(0, 0);
    private long known;   // the version that unwritten bytes were written over; guarded by this
    private volatile int losses;
    private volatile Advice advice = Advice.NORMAL;
    int users;   // guarded by Chunks

    FileState(long ino, Chunks chunks, ExtentView view, int blockSize) {
        this.blockSize = blockSize;
        this.ino = ino;
        this.view = view;
        this.chunks = chunks;
        this.windows = new Windows(blockSize);
        this.flush = new Flush(this, chunks);
        this.flushing = new FlushAll(windows, flush, chunks.executor());
    }

    public long ino() {
        return ino;
    }

    /** The maximum size of its blocks. */
    public int blockSize() {
        return blockSize;
    }

    // ---- writing

    /** Writes the remaining bytes of {@code source} at {@code offset}. */
    public int write(long offset, ByteBuffer source) throws IOException {
        int length = source.remaining();
        if (offset < 0) {
            throw new FsException(FsError.INVALID);
        }
        if (offset > SIZE_MAX - length) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        settleAppends();
        while (source.hasRemaining()) {
            int at = (int) (offset % blockSize);
            int count = Math.min(source.remaining(), blockSize - at);
            write(offset - at, at, source.slice(source.position(), count), false);
            source.position(source.position() + count);
            offset += count;
        }
        return length;
    }

    private void write(long window, int at, ByteBuffer source, boolean appended) throws IOException {
        int needed = at + source.remaining();
        var written = windows.write(window, at, source, needed, null, appended, chunks.now());
        while (written instanceof Windows.Written.Refused refused) {
            if (refused == Windows.Written.Refused.OTHER_KIND) {
                flush();
            }
            var slab = chunks.buffer(needed >= EAGER ? blockSize : needed);
            written = windows.write(window, at, source, needed, slab, appended, chunks.now());
        }
        if (written instanceof Windows.Written.Full full) {
            flushing.submit(full.window());
        }
    }

    /**
     * Writes the remaining bytes of {@code source} at the end of the file as it is when they are committed. No byte is
     * lost when others append at the same time, here or elsewhere, and the bytes of one call stay together. Until then
     * they lie where the end seemed to be; a read commits them first.
     */
    public int append(ByteBuffer source) throws IOException {
        int length = source.remaining();
        if (length == 0) {
            return 0;
        }
        appending.lock();
        try {
            if (windows.hasPlaced()) {
                flush();
            }
            long end = windows.hasAppended() ? windows.pending().end()
                    : chunks.table().content(ino, 0, 0).attributes().size();
            int at = (int) (end % blockSize);
            if (end > SIZE_MAX - length) {
                throw new FsException(FsError.FILE_TOO_BIG);
            }
            if (at + length <= blockSize) {
                write(end - at, at, source, true);
            } else {
                flush();   // in two windows it would be in two commits
                flushing.append(source);
            }
            return length;
        } finally {
            appending.unlock();
        }
    }

    /** The bytes of a new file. Called by several threads. */
    public interface Source {
        /**
         * Fills the target with the file's bytes from {@code offset} on; false if the block they belong to is declined.
         */
        boolean read(long offset, ByteBuffer target) throws IOException;
    }

    /**
     * Stores and commits the first {@code count} blocks of a file that no other handle writes. Returns the offsets of
     * the blocks that the source declined, which are not stored.
     */
    public List<Long> take(int count, Source source) throws IOException {
        return new Intake(this, chunks, flush, count, source).run();
    }

    /**
     * Returns when every byte written before the call is in the store and in the metadata. Bytes whose flush fails
     * stay, for the next attempt.
     */
    public void flush() throws IOException {
        if (windows.hasFailed() && chunks.isForsaken(this)) {
            windows.drop(false);
        }
        if (windows.isDirty()) {
            flushing.run();
        }
    }

    /** Starts flushing everything, without waiting. */
    void startFlush() {
        flushing.start();
    }

    // ---- what the flush needs

    /** To be called before rows of the file are changed. */
    void lockCommits() {
        commits.lock();
        view.suspend();
    }

    /** As {@link #lockCommits}, unless another thread commits at the moment. */
    boolean tryLockCommits() {
        boolean mine = commits.tryLock();
        if (mine) {
            view.suspend();
        }
        return mine;
    }

    /** To be called after rows of the file were changed, or that failed. */
    void unlockCommits() {
        view.resume();
        commits.unlock();
    }

    ExtentView view() {
        return view;
    }

    Windows windows() {
        return windows;
    }

    /** The metadata has these bytes now: readers find them there. */
    void committed(Dirty dirty) {
        windows.committed(dirty, chunks::countCommit);
    }

    // ---- reading

    /** Reads from {@code offset} until the target is full or the file ends; returns the bytes read. */
    public int read(long offset, ByteBuffer target) throws IOException {
        if (offset < 0) {
            throw new FsException(FsError.INVALID);
        }
        settleAppends();
        return newRead().read(offset, target);
    }

    /**
     * The same bytes without copying, until the target of {@code length} would be full or the file ends; null if they
     * have to be read. Close the loan.
     */
    public @Nullable Loan lend(long offset, int length) throws IOException {
        settleAppends();
        boolean worth = offset >= 0 && length >= (chunks.cache().isOn() ? 1 : LENT_MIN);
        return worth ? newRead().lend(offset, length) : null;
    }

    /** Commits appended bytes, which have no offset before. */
    private void settleAppends() throws IOException {
        if (windows.hasAppended()) {
            flush();
        }
    }

    /** Whether its blocks are on several stores. */
    public boolean isSpread() {
        return !chunks.blocks().placement().isSingle();
    }

    /** The readahead of one handle. */
    public Readahead readahead() {
        return new Readahead(this, chunks);
    }

    private FileRead newRead() {
        return new FileRead(ino, chunks, view, windows, inFlight, advice == Advice.RANDOM);
    }

    /** How the file will be read from now on, through all its handles. */
    public void advise(Advice how) {
        advice = how;
    }

    Advice advice() {
        return advice;
    }

    /** Its sequential reader has passed {@code [from, to)}: what is cached of it is let go, as far as it is known. */
    void leave(long from, long to) {
        long at = from;
        for (var segment = view.find(at); segment != null && !segment.isInline() && at < to; segment = view.find(at)) {
            long end = Math.min(to, segment.to());
            for (int i = segment.firstBehind(at); i < segment.extents().size()
                    && segment.extents().get(i).start() < end; i++) {
                var part = segment.extents().get(i).clip(at, end);
                int start = Math.toIntExact(part.offset());
                chunks.frames().leave(segment.block(part), start, start + (int) part.length());
            }
            at = end;
        }
        chunks.passed().passed(ino, from, to);
    }

    /** Loads the stored bytes of {@code [from, to)} into the cache; returns the bytes that did not fit. */
    long prefetch(long from, long to) throws IOException {
        return newRead().prefetch(from, to);
    }

    /** Whether it is known that no byte is stored from {@code offset} on. */
    boolean endsBefore(long offset) {
        var segment = view.find(offset);
        return segment != null && segment.size() <= offset;
    }

    /**
     * Lets go of past states of the file: remembered extents are dropped, and read from the metadata again. {@code
     * tick} is running. Returns the oldest tick that reads of this file may still need; 0 if it is not known.
     */
    public long advance(long tick) {
        view.forget();   // first: a read of the new epoch must find nothing older
        return inFlight.advance(tick);
    }

    ReadsInFlight inFlight() {
        return inFlight;
    }

    // ---- changing the shape

    /** A change of the file's row that sets its time. */
    public interface Change<R extends @Nullable Object> {
        R run() throws IOException;
    }

    /**
     * Runs a change that sets the time of the file: bytes that were written before and are flushed later do not change
     * it any more.
     */
    public <R extends @Nullable Object> R reshape(Change<R> change) throws IOException {
        lockCommits();
        try {
            long before = windows.writtenAt().orElse(0);
            R result = change.run();
            windows.forgetTime(before);
            return result;
        } finally {
            unlockCommits();
        }
    }

    /** Drops unwritten bytes behind the committed end of the file, as there is no space for them; flushes the rest. */
    public void giveUpGrowth() throws IOException {
        reshape(() -> {
            windows.cut(chunks.table().content(ino, 0, 1).attributes().size());
            return null;
        });
        flush();
    }

    /** Truncates the file to {@code size}, or extends it with a hole. */
    public Attributes truncate(long size) throws IOException {
        return reshape(() -> {
            var attributes = chunks.table().truncate(ino, size);
            windows.cut(size);
            return changedHere(attributes);
        });
    }

    /** Makes the file at least this long; never shortens it, also if another process extends it at the same time. */
    public Attributes extend(long size) throws IOException {
        if (size > SIZE_MAX) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        return reshape(() -> changedHere(chunks.table().punch(ino, size, size, true)));
    }

    /**
     * Makes {@code [from, to)} a hole; the size stays, unless {@code extend} and the file is shorter than {@code to}.
     */
    public Attributes punch(long from, long to, boolean extend) throws IOException {
        if (from < 0 || to <= from) {
            throw new FsException(FsError.INVALID);
        }
        if (to > SIZE_MAX) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        flush();
        flush.settleInline();
        return reshape(() -> changedHere(chunks.table().punch(ino, from, to, extend)));
    }

    /**
     * Shares {@code [from, from + length)} of the source at {@code to} without copying. False if the bytes must be
     * copied.
     */
    public boolean share(long source, long from, long to, long length) throws IOException {
        if (to > SIZE_MAX - length) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        return reshape(() -> chunks.table().share(source, from, ino, to, length));
    }

    /**
     * Merges the extents of the part of the file that begins at {@code start}, if they are many, into one block or a
     * few. The content of the file stays as it is, also if it is changed at the same time. Returns the number of blocks
     * made.
     */
    public int merge(long start, BooleanSupplier stopped) throws IOException {
        return new Merge(this, chunks, stopped).run(start);
    }

    /** The same if {@code most} or more of its extents touch each other. */
    public int merge(long start, int most, BooleanSupplier stopped) throws IOException {
        return new Merge(this, chunks, stopped).run(start, most);
    }

    // ---- versions

    /**
     * The latest run of versions that only this process made: a cache that knows version {@code from} and the writes of
     * this process since then knows version {@code to}.
     */
    public record Run(long from, long to) {
        Run then(long version) {
            return new Run(version == to + 1 ? from : version - 1, version);
        }
    }

    public synchronized Run ownVersions() {
        return own;
    }

    /** The version that a cache knows that knew version {@code known} and everything this process wrote since. */
    public long versionBehind(long known) {
        var mine = ownVersions();
        return known >= mine.from() && known < mine.to() ? mine.to() : known;
    }

    /** A commit of this process made this version. */
    public synchronized void madeVersion(long version) {
        own = own.then(version);
        known = version;
    }

    private synchronized Attributes changedHere(Attributes attributes) {
        known = attributes.version();
        return attributes;
    }

    /** The file is opened in this version: later writes are over it, bytes that are already unwritten are not. */
    public void opened(long version) {
        if (!windows.isDirty()) {
            synchronized (this) {
                known = Math.max(known, version);
            }
        }
    }

    /** Whether the file in the metadata has changed since the unwritten bytes were written. */
    synchronized boolean isChangedElsewhere(Attributes attributes) {
        return attributes.version() != known;
    }

    /** Drops the unwritten bytes, which must not be committed any more. Open handles notice by {@link #losses}. */
    void lose() {
        synchronized (this) {
            losses++;
        }
        windows.drop(false);
    }

    /** How often {@link #lose} dropped bytes: a handle that finds more than when it was opened may have lost some. */
    public int losses() {
        return losses;
    }
}
