package volsh.chunk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import volsh.fs.Content;
import volsh.fs.Extent;

/** One read of what the metadata and the store say of a file, unwritten bytes left aside. Holes read as zeros. */
final class BaseRead {
    /** Below this many bytes a second thread costs more than it brings. */
    private static final int PARALLEL_MIN = 512 << 10;

    private final long ino;
    private final Chunks chunks;

    BaseRead(long ino, Chunks chunks) {
        this.ino = ino;
        this.chunks = chunks;
    }

    /** Fills the view from its start, zeros where nothing is stored; returns the bytes there are, given that the file is at least {@code sizeMin} long. */
    int read(long offset, ByteBuffer view, long sizeMin) throws IOException {
        long to = offset + view.remaining();
        var content = chunks.table().content(ino, offset, to);
        long size = Math.max(content.attributes().size(), sizeMin);
        int count = (int) Math.max(0, Math.min(size, to) - offset);
        if (count == 0) {
            return 0;
        }
        if (content.isInline()) {
            inline(content.inline(), offset, view, count);
        } else {
            extents(content, offset, view, count);
        }
        return count;
    }

    private static void inline(byte[] bytes, long offset, ByteBuffer view, int count) {
        int there = (int) Math.max(0, Math.min(bytes.length - offset, count));
        if (there > 0) {
            view.put(0, bytes, (int) offset, there);
        }
        zero(view, there, count);
    }

    private void extents(Content first, long offset, ByteBuffer view, int count) throws IOException {
        var content = first;
        long at = offset;
        long end = offset + count;
        while (true) {
            at = page(content, at, offset, view, end);
            if (at >= end) {
                return;
            }
            content = chunks.table().content(ino, at, end);
        }
    }

    /** Reads what one page of extents says; returns how far it reaches. */
    private long page(Content content, long from, long offset, ByteBuffer view, long end) throws IOException {
        var parts = new ArrayList<Extent>();
        long at = from;
        for (var extent : content.extents()) {
            if (extent.start() >= end) {
                break;
            }
            zero(view, (int) (at - offset), (int) (Math.max(at, extent.start()) - offset));
            var part = extent.clip(at, end);
            parts.add(part);
            at = part.end();
        }
        if (content.complete()) {
            zero(view, (int) (at - offset), (int) (end - offset));
            at = end;
        }
        readAll(parts, content, offset, view);
        return at;
    }

    private void readAll(List<Extent> parts, Content content, long offset, ByteBuffer view) throws IOException {
        if (parts.size() == 1 || view.limit() < PARALLEL_MIN) {
            for (var part : parts) {
                readOne(part, content, offset, view);
            }
            return;
        }
        var tasks = new ArrayList<FutureTask<Void>>();
        for (var part : parts.subList(1, parts.size())) {
            var task = new FutureTask<Void>(() -> {
                readOne(part, content, offset, view);
                return null;
            });
            tasks.add(task);
            chunks.executor().execute(task);
        }
        try {
            readOne(parts.getFirst(), content, offset, view);
        } finally {
            awaitAll(tasks);   // the view is the caller's again only when nobody writes to it any more
        }
    }

    private void readOne(Extent part, Content content, long offset, ByteBuffer view) throws IOException {
        var target = view.slice((int) (part.start() - offset), (int) part.length());
        chunks.blocks().read(content.blocks().get(part.block()), part.offset(), target);
    }

    private static void awaitAll(List<FutureTask<Void>> tasks) throws IOException {
        IOException failure = null;
        boolean interrupted = false;
        for (var task : tasks) {
            while (true) {
                try {
                    task.get();
                    break;
                } catch (ExecutionException failed) {
                    failure = failed.getCause() instanceof IOException reason ? reason : new IOException(failed.getCause());
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
