package volsh.chunk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import volsh.cache.FrameKey;
import volsh.fs.Extent;
import volsh.fs.Loan;

/** One read of a file: stored bytes, zeros for holes, and unwritten bytes over both. */
final class FileRead {
    /** Smaller reads use one thread, because a second one costs more than it saves. */
    private static final int PARALLEL_MIN = 512 << 10;
    /** The number of times a read that meets two versions of the file starts over, before it returns what it has. */
    private static final int ATTEMPTS = 4;
    /** What lies between two parts of a block that are loaded with one get, at most. */
    private static final int GAP_MAX = 64 << 10;
    /** How many parts of a file are loaded ahead at a time, for one piece of it. */
    private static final int GETS_AT_ONCE = 4;
    /** A read of more parts than this is of a composed file. */
    private static final int PARTS_MIN = 4;

    private final long ino;
    private final Chunks chunks;
    private final ExtentView view;
    private final Windows windows;
    private final ReadsInFlight inFlight;
    private final boolean random;
    private @Nullable FileSegment remembered;   // the last one that came from the view

    /** {@code random}: nothing is loaded but what is asked for. */
    FileRead(long ino, Chunks chunks, ExtentView view, Windows windows, ReadsInFlight inFlight, boolean random) {
        this.ino = ino;
        this.chunks = chunks;
        this.view = view;
        this.windows = windows;
        this.inFlight = inFlight;
        this.random = random;
    }

    /** Reads from {@code offset} until the target is full or the file ends; returns the bytes read. */
    int read(long offset, ByteBuffer target) throws IOException {
        while (true) {
            try (var overlay = windows.overlay(offset, offset + target.remaining())) {
                var slice = target.slice();
                int wanted = slice.remaining();
                boolean covered = wanted == 0 || overlay.covers(offset, wanted);
                int count = covered ? wanted : readBelow(offset, slice, overlay.end());
                if (overlay.layOver(offset, slice, count)) {
                    target.position(target.position() + count);
                    return count;
                }
            }
        }
    }

    private int readBelow(long offset, ByteBuffer target, long sizeMin) throws IOException {
        return current(() -> readOnce(offset, target, sizeMin));
    }

    /** The same bytes without copying; null if some are unwritten, in a hole, or cannot be lent. */
    @Nullable Loan lend(long offset, int length) throws IOException {
        var overlay = windows.noneWithin(offset, offset + length);
        if (overlay == null) {
            return null;
        }
        long sizeMin = overlay.end();
        var loan = current(() -> lendOnce(offset, length, sizeMin));
        if (loan != null && !overlay.isCurrent()) {
            loan.close();
            return null;
        }
        return loan;
    }

    /** Loads the stored bytes of {@code [from, to)} into the cache; returns the bytes that did not fit. */
    long prefetch(long from, long to) throws IOException {
        int epoch = inFlight.begin();
        try {
            return prefetchOnce(from, to);
        } finally {
            inFlight.end(epoch);
        }
    }

    private interface Attempt<R extends @Nullable Object> {
        R run() throws IOException;
    }

    private <R extends @Nullable Object> R current(Attempt<R> attempt) throws IOException {
        try {
            return tried(attempt);
        } catch (IOException failed) {
            chunks.failed(failed);
            throw failed;
        }
    }

    /** Tries again if remembered blocks are gone, because this session was ended and they were deleted. */
    private <R extends @Nullable Object> R tried(Attempt<R> attempt) throws IOException {
        int epoch = inFlight.begin();
        remembered = null;
        try {
            return attempt.run();
        } catch (IOException failed) {
            if (remembered == null || !hasChanged(remembered.version(), failed)) {
                throw failed;
            }
            return attempt.run();
        } finally {
            inFlight.end(epoch);
        }
    }

    private boolean hasChanged(long version, IOException failed) {
        try {
            view.clear();
            return load(0, 1).version() != version;
        } catch (IOException second) {
            failed.addSuppressed(second);
            return false;
        }
    }

    /**
     * Fills the target from its start, with zeros for holes; returns the number of bytes, given that the file has at
     * least {@code sizeMin}.
     */
    private int readOnce(long offset, ByteBuffer target, long sizeMin) throws IOException {
        for (int attempt = 1; ; attempt++) {
            long to = offset + target.remaining();
            var first = segment(offset, to);
            long size = Math.max(first.size(), sizeMin);
            int count = (int) Math.max(0, Math.min(size, to) - offset);
            if (count == 0) {
                return 0;
            }
            if (first.inline() != null) {
                inline(first.inline(), offset, target, count);
                return count;
            }
            loadTogether(first, offset, offset + count);
            if (extents(first, offset, target, count, attempt < ATTEMPTS)) {
                return count;
            }
            view.clear();
        }
    }

    /**
     * The segment of the file at {@code at}: a remembered one, or as much of {@code [at, to)} as one answer of the
     * metadata has.
     */
    private FileSegment segment(long at, long to) throws IOException {
        var known = view.find(at);
        if (known != null) {
            remembered = known;
            return known;
        }
        long span = view.span();
        long start = at - at % span;
        var aligned = load(start, Math.max(to, start + span));
        return aligned.covers(at) ? aligned : load(at, to);
    }

    private FileSegment load(long from, long to) throws IOException {
        long moment = view.moment();
        var segment = FileSegment.of(chunks.table().content(ino, from, to), from, to, chunks.blocks().reader());
        view.add(segment, moment);
        chunks.crowds().saw(ino, segment.extents());
        return segment;
    }

    private @Nullable Loan lendOnce(long offset, int length, long sizeMin) throws IOException {
        var first = segment(offset, offset + length);
        long end = Math.min(offset + length, first.size());
        if (sizeMin > first.size() || end <= offset) {
            return null;
        }
        loadTogether(first, offset, end);
        var loan = new FrameLoan();
        boolean whole = false;
        try {
            whole = lend(first, offset, end, loan);
        } finally {
            if (!whole) {
                loan.close();
            }
        }
        return whole ? loan : null;
    }

    /** A part of a block that is to be read. */
    private record Wanted(StoredBlock block, int from, int to) {}

    private boolean lend(FileSegment first, long offset, long end, FrameLoan loan) throws IOException {
        var wanted = new ArrayList<Wanted>();
        var segment = first;
        long at = offset;
        while (at < end) {
            segment = segment.covers(at) ? segment : segment(at, end);
            int next = segment.firstBehind(at);
            boolean stored = next < segment.extents().size() && segment.extents().get(next).start() <= at;
            if (!stored || segment.version() != first.version()) {
                return false;
            }
            var part = segment.extents().get(next).clip(at, Math.min(end, segment.to()));
            int start = Math.toIntExact(part.offset());
            var block = segment.block(part);
            if (!chunks.frames().mayLend(block, start, start + (int) part.length())) {
                return false;
            }
            wanted.add(new Wanted(block, start, start + (int) part.length()));
            at = part.end();
        }
        for (var part : wanted) {
            prepare(part.block());
            if (!chunks.frames().lend(part.block(), part.from(), part.to(), loan)) {
                return false;
            }
        }
        return true;
    }

    private long prefetchOnce(long from, long to) throws IOException {
        long at = from;
        var runs = new ArrayList<Wanted>();
        var last = new HashMap<Long, Integer>();   // by block: the number of its last run
        while (at < to) {
            var segment = segment(at, to);
            long end = Math.min(Math.min(to, segment.to()), segment.size());
            if (segment.isInline() || end <= at) {
                break;
            }
            addRuns(segment, at, end, runs, last);
            at = end;
        }
        return prefetchAll(runs);
    }

    /** Several at a time: many small gets would otherwise wait for a distant store one after the other. */
    private long prefetchAll(List<Wanted> runs) throws IOException {
        var next = new AtomicInteger();
        var refused = new AtomicLong();
        var helpers = new ArrayList<FutureTask<Void>>();
        for (int i = 1; i < Math.min(GETS_AT_ONCE, runs.size()); i++) {
            var helper = new FutureTask<Void>(() -> {
                prefetchSome(runs, next, refused);
                return null;
            });
            helpers.add(helper);
            chunks.help(helper);
        }
        try {
            prefetchSome(runs, next, refused);
        } finally {
            helpers.forEach(FutureTask::run);   // those that no thread has begun have nothing left to do
            awaitAll(helpers);
        }
        return refused.get();
    }

    private void prefetchSome(List<Wanted> runs, AtomicInteger next, AtomicLong refused) throws IOException {
        for (int i = next.getAndIncrement(); i < runs.size(); i = next.getAndIncrement()) {
            var run = runs.get(i);
            refused.addAndGet(chunks.frames().prefetch(run.block(), run.from(), run.to()));
        }
    }

    /** Where many parts are to be read and some are not in memory, one get for each block loads them first. */
    private void loadTogether(FileSegment segment, long from, long to) throws IOException {
        int begin = segment.firstBehind(from);
        int parts = segment.firstBehind(Math.min(to, segment.to()) - 1) - begin;
        if (parts < PARTS_MIN || !chunks.cache().isOn()) {
            return;
        }
        for (var extent : segment.extents().subList(begin, begin + parts)) {
            var block = segment.block(extent);
            int frame = block.index().frameAt(extent.offset());
            if (!chunks.cache().has(new FrameKey(block.id(), frame))) {
                prefetchOnce(from, Math.min(to, segment.to()));
                return;
            }
        }
    }

    /**
     * Adds what of which block {@code [from, to)} is made of. Extents that continue each other in a block are one run,
     * also if others lie between them in the file: one get loads it.
     */
    private static void addRuns(FileSegment segment, long from, long to, List<Wanted> runs, Map<Long, Integer> last) {
        var extents = segment.extents();
        for (int i = segment.firstBehind(from); i < extents.size() && extents.get(i).start() < to; i++) {
            var part = extents.get(i).clip(from, to);
            int start = Math.toIntExact(part.offset());
            int end = start + (int) part.length();
            int number = last.getOrDefault(part.block(), -1);
            var before = number < 0 ? null : runs.get(number);
            if (before != null && before.from() <= start && start <= before.to() + GAP_MAX) {
                runs.set(number, new Wanted(before.block(), before.from(), Math.max(before.to(), end)));
            } else {
                last.put(part.block(), runs.size());
                runs.add(new Wanted(segment.block(part), start, end));
            }
        }
    }

    private static void inline(byte[] bytes, long offset, ByteBuffer view, int count) {
        int there = (int) Math.max(0, Math.min(bytes.length - offset, count));
        if (there > 0) {
            view.put(0, bytes, (int) offset, there);
        }
        zero(view, there, count);
    }

    /** False, if {@code strict}, when another version of the file was met on the way. */
    private boolean extents(FileSegment first, long offset, ByteBuffer target, int count, boolean strict)
            throws IOException {
        var segment = first;
        long at = offset;
        long end = offset + count;
        while (true) {
            at = page(segment, at, offset, target, end);
            if (at >= end) {
                return true;
            }
            segment = segment(at, end);
            if (strict && segment.version() != first.version()) {
                return false;
            }
        }
    }

    /** Reads the part of the range that one segment covers; returns its end. */
    private long page(FileSegment segment, long from, long offset, ByteBuffer target, long end) throws IOException {
        var parts = new ArrayList<Extent>();
        long at = from;
        long reach = Math.min(end, segment.to());
        for (int i = segment.firstBehind(from); i < segment.extents().size(); i++) {
            var extent = segment.extents().get(i);
            if (extent.start() >= reach) {
                break;
            }
            zero(target, (int) (at - offset), (int) (Math.max(at, extent.start()) - offset));
            var part = extent.clip(at, reach);
            parts.add(part);
            at = part.end();
        }
        zero(target, (int) (at - offset), (int) (reach - offset));
        readAll(parts, segment, offset, target);
        return reach;
    }

    private void readAll(List<Extent> parts, FileSegment segment, long offset, ByteBuffer target) throws IOException {
        if (parts.size() <= 1 || target.limit() < PARALLEL_MIN) {
            readSome(parts, segment, offset, target);
            return;
        }
        var groups = List.copyOf(parts.stream().collect(
                Collectors.groupingBy(Extent::block, LinkedHashMap::new, Collectors.toList())).values());
        var tasks = new ArrayList<FutureTask<Void>>();
        for (var group : groups.subList(1, groups.size())) {
            var task = new FutureTask<Void>(() -> {
                readSome(group, segment, offset, target);
                return null;
            });
            tasks.add(task);
            chunks.executor().execute(task);
        }
        try {
            readSome(groups.getFirst(), segment, offset, target);
        } finally {
            awaitAll(tasks);   // the caller may use the target only when no task writes to it
        }
    }

    private void readSome(List<Extent> parts, FileSegment segment, long offset, ByteBuffer target) throws IOException {
        for (var part : parts) {
            readOne(part, segment, offset, target);
        }
    }

    private void readOne(Extent part, FileSegment segment, long offset, ByteBuffer target) throws IOException {
        var slice = target.slice((int) (part.start() - offset), (int) part.length());
        prepare(segment.block(part));
        chunks.frames().read(segment.block(part), Math.toIntExact(part.offset()), slice);
    }

    private void prepare(StoredBlock block) {
        if (random) {
            chunks.frames().alone(block);
        }
    }

    static void awaitAll(List<FutureTask<Void>> tasks) throws IOException {
        IOException failure = null;
        boolean interrupted = false;
        for (var task : tasks) {
            while (true) {
                try {
                    task.get();
                    break;
                } catch (ExecutionException failed) {
                    failure = failed.getCause() instanceof IOException reason ? reason
                            : new IOException(failed.getCause());
                    break;
                } catch (InterruptedException stop) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading");
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void zero(ByteBuffer view, int from, int to) {
        if (from < to) {
            MemorySegment.ofBuffer(view.slice(from, to - from)).fill((byte) 0);
        }
    }
}
