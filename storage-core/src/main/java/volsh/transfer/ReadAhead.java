package volsh.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.vfs.OpenFile;

/** Reads a range of a file from front to back, a few parts at the same time and ahead of its user. */
final class ReadAhead implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int PARTS = 4;

    private final OpenFile file;
    private final Outflow.Sink sink;
    private final long end;
    private final Arena arena = Arena.ofShared();
    private final ExecutorService readers;
    private final Deque<Future<ByteBuffer>> coming = new ArrayDeque<>();
    private ByteBuffer inUse;
    private long requested;
    private long delivered;

    /** Each part is also given to the sink, by the thread that read it, in any order and several at a time. */
    ReadAhead(OpenFile file, long from, long to, int partBytes, Outflow.Sink sink) {
        this.file = file;
        this.sink = sink;
        this.requested = from;
        this.delivered = from;
        this.end = to;
        int parts = (int) Math.min(PARTS, (to - from + partBytes - 1) / partBytes);
        this.readers = Executors.newFixedThreadPool(parts,
                Thread.ofPlatform().name("read-ahead-", 0).daemon().factory());
        for (int i = 0; i < parts; i++) {
            request(arena.allocate(partBytes, PAGE).asByteBuffer());
        }
        this.inUse = arena.allocate(partBytes, PAGE).asByteBuffer();
    }

    /** Begins to read the next part of the range, if there is one. */
    private void request(ByteBuffer buffer) {
        long from = requested;
        if (from < end) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), end - from));
            requested += buffer.limit();
            coming.add(readers.submit(() -> {
                file.read(from, buffer);
                sink.take(from, buffer.flip());
                return buffer.rewind();
            }));
        }
    }

    /** The next part; empty at the end of the range or the file. Valid until the next call. */
    ByteBuffer next() throws IOException {
        if (coming.isEmpty()) {
            return inUse.clear().limit(0);
        }
        try {
            var part = coming.remove().get();
            boolean whole = part.remaining() == Math.min(part.capacity(), end - delivered);
            delivered += part.remaining();
            if (whole) {
                request(inUse);
            } else {
                stop();   // the file became shorter: what comes behind this part belongs elsewhere
            }
            inUse = part;
            return part;
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException reason ? reason : new IOException(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        }
    }

    private void stop() {
        coming.forEach(part -> part.cancel(false));
        coming.clear();
    }

    @Override
    public void close() {
        stop();
        readers.close();   // waits: who is reading writes to the memory that goes now
        arena.close();
    }
}
