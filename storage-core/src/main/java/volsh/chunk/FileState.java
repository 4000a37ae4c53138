package volsh.chunk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
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
 * punch), and is held across the metadata's transaction; {@code lock} guards the buffers, and is never held across any
 * I/O. Truncate cuts buffers that are on their way too: their commit takes only what is left of them.
 */
public final class FileState {
    private static final long SIZE_MAX = 1L << 60;
    /** From this many bytes on a window gets its whole memory at once. */
    private static final int EAGER = 256 << 10;

    /** What unwritten bytes say of a file: how long it is at least, and when it was last written (0: they do not say). */
    public record Pending(long end, long mtime) {
        static final Pending NOTHING = new Pending(0, 0);
    }

    private final long ino;
    private final Chunks chunks;
    private final Flush flush;
    private final ExtentView view;
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock commits = new ReentrantLock();
    private final TreeMap<Long, Dirty> open = new TreeMap<>();
    private final List<Dirty> sealed = new ArrayList<>();
    private long sequence;
    private long mtime;
    private Run own = new Run(0, 0);
    int users;   // guarded by Chunks

    FileState(long ino, Chunks chunks, ExtentView view) {
        this.ino = ino;
        this.view = view;
        this.chunks = chunks;
        this.flush = new Flush(this, chunks);
    }

    public long ino() {
        return ino;
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
        int blockSize = chunks.settings().blockSize();
        while (source.hasRemaining()) {
            int at = (int) (offset % blockSize);
            int count = Math.min(source.remaining(), blockSize - at);
            write(offset - at, at, source.slice(source.position(), count));
            source.position(source.position() + count);
            offset += count;
        }
        return length;
    }

    private void write(long window, int at, ByteBuffer source) throws IOException {
        int needed = at + source.remaining();
        if (!write(window, at, source, needed, null)) {
            write(window, at, source, needed, chunks.buffer(needed >= EAGER ? chunks.settings().blockSize() : needed));
        }
    }

    /** False, with nothing written, if the window has too little memory and no slab is given to enlarge it. */
    private boolean write(long window, int at, ByteBuffer source, int needed, Slab slab) {
        Dirty full = null;
        lock.lock();
        try {
            var dirty = open(window, needed, slab);
            if (dirty == null) {
                return false;
            }
            dirty.write(at, source);
            mtime = chunks.now();
            if (dirty.ranges().covers(0, chunks.settings().blockSize())) {
                full = seal(dirty);
            }
        } finally {
            lock.unlock();
        }
        if (full != null) {
            submit(full);
        }
        return true;
    }

    /** The window with room for {@code needed} bytes; null if it has not and there is no slab. The slab is used or given back. */
    private Dirty open(long window, int needed, Slab slab) {
        var dirty = open.get(window);
        boolean fits = dirty != null && dirty.capacity() >= needed;
        if (slab == null) {
            return fits ? dirty : null;
        }
        if (fits) {
            slab.close();
        } else if (dirty != null) {
            dirty.grow(slab);
        } else {
            dirty = new Dirty(window, slab);
            open.put(window, dirty);
        }
        return dirty;
    }

    /** Closes the window to further writes; the caller submits it. Holds the lock. */
    private Dirty seal(Dirty dirty) {
        open.remove(dirty.start);
        dirty.seal(sealed.stream().filter(other -> other.start == dirty.start).reduce((first, second) -> second).orElse(null));
        sealed.add(dirty);
        return dirty;
    }

    private void submit(Dirty dirty) {
        chunks.executor().execute(() -> flush.run(dirty));
    }

    // ---- flushing

    /** Returns when every byte written before the call is in the store and in the metadata. Failed bytes stay, for the next try. */
    public void flush() throws IOException {
        if (!isDirty()) {
            return;
        }
        reopenFailed();
        awaitAll(sealAll());
    }

    /** Starts writing everything out, without waiting. */
    void startFlush() {
        sealAll();
    }

    private List<CompletableFuture<Void>> sealAll() {
        var fresh = new ArrayList<Dirty>();
        List<CompletableFuture<Void>> all;
        lock.lock();
        try {
            while (!open.isEmpty()) {
                var dirty = open.firstEntry().getValue();
                if (dirty.ranges().isEmpty()) {
                    open.remove(dirty.start);
                    dirty.retire();
                } else {
                    fresh.add(seal(dirty));
                }
            }
            all = sealed.stream().map(Dirty::flushed).toList();
        } finally {
            lock.unlock();
        }
        if (fresh.size() == 1 && all.size() == 1) {
            flush.run(fresh.getFirst());   // nothing to overlap with: spare the hand-over
        } else {
            fresh.forEach(this::submit);
        }
        return all;
    }

    private static void awaitAll(List<CompletableFuture<Void>> waiting) throws IOException {
        IOException first = null;
        for (var flushed : waiting) {
            try {
                await(flushed);
            } catch (IOException failure) {
                first = first == null ? failure : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    static void await(CompletableFuture<Void> flushed) throws IOException {
        try {
            flushed.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof FsException refusal
                    ? new FsException(refusal.error(), refusal.getMessage(), refusal)
                    : new IOException(failed.getCause().getMessage(), failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while data was being written");
        }
    }

    /** Puts windows whose flush failed back to the open ones, older bytes below newer. */
    private void reopenFailed() {
        while (true) {
            List<CompletableFuture<Void>> behind;
            lock.lock();
            try {
                behind = behindFailed();
                if (behind.isEmpty()) {
                    sealed.reversed().stream().filter(Dirty::hasFailed).toList().forEach(this::reopen);   // each older one goes below
                    return;
                }
            } finally {
                lock.unlock();
            }
            behind.forEach(flushed -> flushed.handle((done, failure) -> null).join());
        }
    }

    /** What is on its way behind a window that failed: it fails too, and must be back first, to lie above. */
    private List<CompletableFuture<Void>> behindFailed() {
        var failed = sealed.stream().filter(Dirty::hasFailed).map(dirty -> dirty.start).collect(Collectors.toSet());
        return sealed.stream().filter(dirty -> failed.contains(dirty.start)).map(Dirty::flushed).filter(flushed -> !flushed.isDone()).toList();
    }

    private void reopen(Dirty dirty) {
        sealed.remove(dirty);
        var newer = open.get(dirty.start);
        dirty.reopen();
        if (newer == null) {
            open.put(dirty.start, dirty);
        } else if (newer.capacity() >= dirty.ranges().end()) {
            newer.underlay(dirty);
            dirty.retire();
        } else {
            newer.ranges().each((from, to) -> dirty.write(from, newer.view(from, to)));
            open.put(dirty.start, dirty);
            newer.retire();
        }
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

    /** The dirty ranges as they are now: truncate may have cut them. */
    Ranges rangesOf(Dirty dirty) {
        lock.lock();
        try {
            return new Ranges(dirty.ranges());
        } finally {
            lock.unlock();
        }
    }

    OptionalLong writtenAt() {
        lock.lock();
        try {
            return mtime == 0 ? OptionalLong.empty() : OptionalLong.of(mtime);
        } finally {
            lock.unlock();
        }
    }

    /** The metadata has these bytes now: readers find them there. */
    void committed(Dirty dirty) {
        lock.lock();
        try {
            sealed.remove(dirty);
            dirty.retire();
            chunks.countCommit();
        } finally {
            lock.unlock();
        }
    }

    // ---- reading

    /** Reads from {@code offset} until the target is full or the file ends; returns the bytes read. */
    public int read(long offset, ByteBuffer target) throws IOException {
        if (offset < 0) {
            throw new FsException(FsError.INVALID);
        }
        while (true) {
            long before;
            List<Dirty> overlays;
            long dirtyEnd;
            lock.lock();
            try {
                before = sequence;
                overlays = overlapping(offset, offset + target.remaining());
                dirtyEnd = dirtyEnd();
                overlays.forEach(Dirty::retain);
            } finally {
                lock.unlock();
            }
            try {
                var slice = target.slice();
                int count = base(offset, slice, overlays, dirtyEnd);
                if (overlay(offset, slice, count, overlays, before)) {
                    target.position(target.position() + count);
                    return count;
                }
            } finally {
                lock.lock();
                try {
                    overlays.forEach(Dirty::release);
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    /**
     * The same bytes without copying, until the target of {@code length} would be full or the file ends; null if they have
     * to be read. Close the loan.
     */
    public Loan lend(long offset, int length) throws IOException {
        long before;
        long dirtyEnd;
        lock.lock();
        try {
            if (!chunks.cache().isOn() || offset < 0 || length <= 0 || !overlapping(offset, offset + length).isEmpty()) {
                return null;
            }
            before = sequence;
            dirtyEnd = dirtyEnd();
        } finally {
            lock.unlock();
        }
        var loan = new BaseRead(ino, chunks, view).lend(offset, length, dirtyEnd);
        if (loan != null && isOutdated(before)) {
            loan.close();
            return null;
        }
        return loan;
    }

    /** Reads ahead for one who has the file open. */
    public Readahead readahead() {
        return new Readahead(this, chunks);
    }

    /** Is it known that nothing is stored from {@code offset} on? */
    boolean endsBefore(long offset) {
        var segment = view.find(offset);
        return segment != null && segment.size() <= offset;
    }

    long prefetch(long from, long to) throws IOException {
        return new BaseRead(ino, chunks, view).prefetch(from, to);
    }

    private boolean isOutdated(long before) {
        lock.lock();
        try {
            return sequence != before;
        } finally {
            lock.unlock();
        }
    }

    private int base(long offset, ByteBuffer target, List<Dirty> overlays, long dirtyEnd) throws IOException {
        int wanted = target.remaining();
        if (wanted == 0) {
            return 0;
        }
        if (offset + wanted <= dirtyEnd && covered(offset, wanted, overlays)) {
            return wanted;
        }
        return new BaseRead(ino, chunks, view).read(offset, target, dirtyEnd);
    }

    private boolean covered(long offset, int length, List<Dirty> overlays) {
        lock.lock();
        try {
            for (var dirty : overlays) {
                long from = offset - dirty.start;
                if (from >= 0 && from + length <= Integer.MAX_VALUE && dirty.ranges().covers((int) from, (int) from + length)) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** False if the file was truncated meanwhile: the bytes below do not belong to these overlays. */
    private boolean overlay(long offset, ByteBuffer target, int count, List<Dirty> overlays, long before) {
        lock.lock();
        try {
            if (sequence != before) {
                return false;
            }
            for (var dirty : overlays) {
                dirty.overlay(offset, target, count);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Oldest first, so that newer bytes are laid over older ones. */
    private List<Dirty> overlapping(long from, long to) {
        var found = new ArrayList<Dirty>();
        for (var dirty : sealed) {
            if (dirty.start < to && dirty.end() > from) {
                found.add(dirty);
            }
        }
        var first = open.floorKey(from);
        for (var dirty : open.tailMap(first == null ? from : first, true).values()) {
            if (dirty.start >= to) {
                break;
            }
            found.add(dirty);
        }
        return found;
    }

    private long dirtyEnd() {
        long end = 0;
        for (var dirty : sealed) {
            end = Math.max(end, dirty.ranges().isEmpty() ? 0 : dirty.end());
        }
        for (var dirty : open.values()) {
            end = Math.max(end, dirty.ranges().isEmpty() ? 0 : dirty.end());
        }
        return end;
    }

    // ---- changing the shape

    /** Cuts the file off at {@code size}, or extends it with a hole. */
    public Attributes truncate(long size) throws IOException {
        return reshape(() -> {
            var attributes = chunks.table().truncate(ino, size);
            lock.lock();
            try {
                sequence++;
                sealed.forEach(dirty -> cut(dirty, size));
                open.values().forEach(dirty -> cut(dirty, size));
            } finally {
                lock.unlock();
            }
            return attributes;
        });
    }

    /** A change of the file's row that says its time. */
    public interface Change<R> {
        R run() throws IOException;
    }

    /** Runs a change that sets the time of the file: bytes written before it, though still on their way, no longer do. */
    public <R> R reshape(Change<R> change) throws IOException {
        lockCommits();
        try {
            long before = writtenAt().orElse(0);
            R result = change.run();
            lock.lock();
            try {
                mtime = mtime == before ? 0 : mtime;
            } finally {
                lock.unlock();
            }
            return result;
        } finally {
            unlockCommits();
        }
    }

    private static void cut(Dirty dirty, long size) {
        if (dirty.end() > size) {
            dirty.ranges().remove((int) Math.max(0, size - dirty.start), Integer.MAX_VALUE);
        }
    }

    /** Makes the file at least this long; cuts nothing off, whoever else makes it longer meanwhile. */
    public Attributes extend(long size) throws IOException {
        if (size > SIZE_MAX) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        return reshape(() -> chunks.table().punch(ino, size, size, true));
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
        return reshape(() -> chunks.table().punch(ino, from, to, extend));
    }

    /** Takes {@code [from, from + length)} of the source over at {@code to} without copying. False if the bytes must be copied. */
    public boolean share(long source, long from, long to, long length) throws IOException {
        if (to > SIZE_MAX - length) {
            throw new FsException(FsError.FILE_TOO_BIG);
        }
        return reshape(() -> chunks.table().share(source, from, ino, to, length));
    }

    // ---- what others ask

    /** The latest run of versions that only this process made: whoever knows {@code from} and our writes since, knows {@code to}. */
    public record Run(long from, long to) {}

    public Run ownVersions() {
        lock.lock();
        try {
            return own;
        } finally {
            lock.unlock();
        }
    }

    /** A commit of ours made this version. */
    void madeVersion(long version) {
        lock.lock();
        try {
            own = new Run(version == own.to() + 1 ? own.from() : version - 1, version);
        } finally {
            lock.unlock();
        }
    }

    Pending pending() {
        lock.lock();
        try {
            return isDirtyLocked() ? new Pending(dirtyEnd(), mtime) : Pending.NOTHING;
        } finally {
            lock.unlock();
        }
    }

    boolean isDirty() {
        lock.lock();
        try {
            return isDirtyLocked();
        } finally {
            lock.unlock();
        }
    }

    private boolean isDirtyLocked() {
        return !open.isEmpty() || !sealed.isEmpty();
    }

    boolean hasFailed() {
        lock.lock();
        try {
            return sealed.stream().anyMatch(Dirty::hasFailed);
        } finally {
            lock.unlock();
        }
    }

    /** Is a window on its way? */
    boolean isWriting() {
        lock.lock();
        try {
            return sealed.stream().anyMatch(dirty -> !dirty.flushed().isDone());
        } finally {
            lock.unlock();
        }
    }

    /** Memory in windows that nobody is writing out yet. */
    long openBytes() {
        lock.lock();
        try {
            return open.values().stream().mapToLong(Dirty::capacity).sum();
        } finally {
            lock.unlock();
        }
    }
}
