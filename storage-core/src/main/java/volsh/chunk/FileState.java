package volsh.chunk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Loan;

/**
 * The bytes of one file, for all who have it open here.
 *
 * <p>Written bytes gather in one {@link Dirty} per block-sized window. A window that is full, a flush, or want of memory
 * <em>seals</em> it: its block is uploaded, then the metadata commits the extents, then the memory is given back. Until
 * then readers find the bytes here, laid over what the metadata says; so they see old bytes or new, never a hole.
 *
 * <pre>
 *   write ─▶ open ──seal──▶ sealed ──upload──▶ commit ──▶ gone
 *              ▲                └──── failed ────┐
 *              └────── reopened by the next flush ┘
 * </pre>
 *
 * <p>Two locks, taken in this order: {@code commits} orders everything that changes the file's rows (commit, truncate,
 * punch), and is held across the metadata's transaction; that of {@link Windows} guards the buffers, and is never held
 * across any I/O. Truncate cuts buffers that are on their way too: their commit takes only what is left of them.
 */
public final class FileState {
    private static final long SIZE_MAX = 1L << 60;
    /** From this many bytes on a window gets its whole memory at once. */
    private static final int EAGER = 256 << 10;
    /** Without a cache, less than this is copied faster than lent. */
    private static final int LENT_MIN = 512 << 10;

    /** What unwritten bytes say of a file: how long it is at least, and when it was last written (0: they do not say). */
    public record Pending(long end, long mtime) {
        static final Pending NOTHING = new Pending(0, 0);
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

    /** How long its blocks are at most. */
    public int blockSize() {
        return blockSize;
    }

    // ---- writing

    /** Takes the remaining bytes of {@code source} as the file's bytes from {@code offset} on. */
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
        var written = write(window, at, source, needed, null, appended);
        while (!written.done()) {
            if (written == Windows.Written.OTHER_KIND) {
                flush();
            }
            written = write(window, at, source, needed, chunks.buffer(needed >= EAGER ? blockSize : needed), appended);
        }
    }

    private Windows.Written write(long window, int at, ByteBuffer source, int needed, Slab slab, boolean appended) {
        var written = windows.write(window, at, source, needed, slab, appended, chunks.now());
        if (written.full() != null) {
            flushing.submit(written.full());
        }
        return written;
    }

    /**
     * Takes the remaining bytes of {@code source} for the end of the file, wherever that is when they are committed: whoever
     * else appends meanwhile, here or elsewhere, no byte is lost, and what one call brings stays together. Bytes on their
     * way lie where the end seemed to be; who reads has them committed first.
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
            long end = windows.hasAppended() ? windows.pending().end() : chunks.table().content(ino, 0, 0).attributes().size();
            int at = (int) (end % blockSize);
            if (end > SIZE_MAX - length) {
                throw new FsException(FsError.FILE_TOO_BIG);
            }
            if (at + length <= blockSize) {
                write(end - at, at, source, true);
            } else {
                flush();   // it would be in two windows, which are not committed together
                flushing.append(source);
            }
            return length;
        } finally {
            appending.unlock();
        }
    }

    /** Where the blocks of a new file come from. Asked by several threads. */
    public interface Source {
        /** Fills the target with the file's bytes from {@code offset} on; false if the block they belong to is declined. */
        boolean read(long offset, ByteBuffer target) throws IOException;
    }

    /**
     * Stores the first {@code count} blocks of a file that nobody else writes, and commits them. Returns where those begin that the
     * source declined: of them nothing was stored.
     */
    public List<Long> take(int count, Source source) throws IOException {
        return new Intake(this, chunks, flush, count, source).run();
    }

    /** Returns when every byte written before the call is in the store and in the metadata. Failed bytes stay, for the next try. */
    public void flush() throws IOException {
        if (windows.hasFailed() && chunks.isForsaken(this)) {
            windows.drop(false);
        }
        if (windows.isDirty()) {
            flushing.run();
        }
    }

    /** Starts writing everything out, without waiting. */
    void startFlush() {
        flushing.start();
    }

    // ---- what the flush needs

    /** Before rows of the file are changed. */
    void lockCommits() {
        commits.lock();
        view.suspend();
    }

    /** Afterwards, however it ended. */
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
     * The same bytes without copying, until the target of {@code length} would be full or the file ends; null if they have
     * to be read. Close the loan.
     */
    public Loan lend(long offset, int length) throws IOException {
        settleAppends();
        boolean worth = offset >= 0 && length >= (chunks.cache().isOn() ? 1 : LENT_MIN);
        return worth ? newRead().lend(offset, length) : null;
    }

    /** Appended bytes have no place before they are committed. */
    private void settleAppends() throws IOException {
        if (windows.hasAppended()) {
            flush();
        }
    }

    /** Whether its blocks are on several stores. */
    public boolean isSpread() {
        return !chunks.blocks().placement().isSingle();
    }

    /** Reads ahead for one who has the file open. */
    public Readahead readahead() {
        return new Readahead(this, chunks);
    }

    private FileRead newRead() {
        return new FileRead(ino, chunks, view, windows, inFlight);
    }

    /** Loads what is stored of {@code [from, to)} into the cache; returns the bytes for which there was no room. */
    long prefetch(long from, long to) throws IOException {
        return newRead().prefetch(from, to);
    }

    /** Is it known that nothing is stored from {@code offset} on? */
    boolean endsBefore(long offset) {
        var segment = view.find(offset);
        return segment != null && segment.size() <= offset;
    }

    /**
     * Lets go of past states of the file's bytes: what is remembered of its extents is forgotten, and asked for again. {@code tick} is running. Returns the
     * tick from which on states may still be needed here, which reads under way keep from being this one; 0 if it is not known.
     */
    public long advance(long tick) {
        view.forget();   // first: a read of the new epoch must find nothing older
        return inFlight.advance(tick);
    }

    ReadsInFlight inFlight() {
        return inFlight;
    }

    // ---- changing the shape

    /** A change of the file's row that says its time. */
    public interface Change<R> {
        R run() throws IOException;
    }

    /** Runs a change that sets the time of the file: bytes written before it, though still on their way, no longer do. */
    public <R> R reshape(Change<R> change) throws IOException {
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

    /** Drops what was written behind the end that the metadata knows, as there is no room for it; writes out the rest. */
    public void giveUpGrowth() throws IOException {
        reshape(() -> {
            windows.cut(chunks.table().content(ino, 0, 1).attributes().size());
            return null;
        });
        flush();
    }

    /** Cuts the file off at {@code size}, or extends it with a hole. */
    public Attributes truncate(long size) throws IOException {
        return reshape(() -> {
            var attributes = chunks.table().truncate(ino, size);
            windows.cut(size);
            return changedHere(attributes);
        });
    }

    /** Makes the file at least this long; cuts nothing off, whoever else makes it longer meanwhile. */
    public Attributes extend(long size) throws IOException {
        if (size > SIZE_MAX) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        return reshape(() -> changedHere(chunks.table().punch(ino, size, size, true)));
    }

    /** Makes {@code [from, to)} a hole; the size stays, unless {@code extend} and the file is shorter than {@code to}. */
    public Attributes punch(long from, long to, boolean extend) throws IOException {
        if (from < 0 || to <= from) {
            throw new FsException(FsError.INVALID);
        }
        if (to > SIZE_MAX) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        flush();
        return reshape(() -> changedHere(chunks.table().punch(ino, from, to, extend)));
    }

    /** Takes {@code [from, from + length)} of the source over at {@code to} without copying. False if the bytes must be copied. */
    public boolean share(long source, long from, long to, long length) throws IOException {
        if (to > SIZE_MAX - length) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        return reshape(() -> chunks.table().share(source, from, ino, to, length));
    }

    /**
     * Puts the extents of the part of the file that begins at {@code start}, if they are many, into one block or few. What
     * the file holds stays as it is, whatever happens to it meanwhile. The number of blocks made.
     */
    public int merge(long start, BooleanSupplier stopped) throws IOException {
        return new Merge(this, chunks, stopped).run(start);
    }

    /** The same as soon as so many of its extents touch each other. */
    public int merge(long start, int most, BooleanSupplier stopped) throws IOException {
        return new Merge(this, chunks, stopped).run(start, most);
    }

    // ---- what others ask

    /** The latest run of versions that only this process made: whoever knows {@code from} and our writes since, knows {@code to}. */
    public record Run(long from, long to) {
        Run then(long version) {
            return new Run(version == to + 1 ? from : version - 1, version);
        }
    }

    public synchronized Run ownVersions() {
        return own;
    }

    /** Whoever knew this version of the file and all that this process wrote since, knows the version returned. */
    public long versionBehind(long known) {
        var mine = ownVersions();
        return known >= mine.from() && known < mine.to() ? mine.to() : known;
    }

    /** A commit of ours made this version. */
    synchronized void madeVersion(long version) {
        own = own.then(version);
        known = version;
    }

    private synchronized Attributes changedHere(Attributes attributes) {
        known = attributes.version();
        return attributes;
    }

    /** The file is opened in this version. What is written from now on is written over it; bytes that wait already are not. */
    public void opened(long version) {
        if (!windows.isDirty()) {
            synchronized (this) {
                known = Math.max(known, version);
            }
        }
    }

    /** Is the file of the metadata another one than unwritten bytes were written over? */
    synchronized boolean isChangedElsewhere(Attributes attributes) {
        return attributes.version() != known;
    }

    /** Drops the bytes that are not written out: they must not be any more. Who has the file open is told, see {@link #losses}. */
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
