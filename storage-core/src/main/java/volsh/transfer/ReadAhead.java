package volsh.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.vfs.OpenFile;

/**
 * Reads a range of a file sequentially, a few parts at a time and ahead of its user: lent from memory where possible,
 * else copied into buffers.
 */
final class ReadAhead implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int PARTS = 8;   // half of them took a tenth longer for 1 GiB from a disk that reads 2 GiB/s
    /**
     * The length of parts of files on several stores: shorter than blocks, and accordingly more of them, so that all
     * stores are busy all the time.
     */
    private static final int SPREAD_BYTES = 1 << 20;

    private final OpenFile file;
    private final Outflow.Sink sink;
    private final int partBytes;
    private final long end;
    private final Arena arena = Arena.ofShared();
    private final ConcurrentLinkedQueue<ByteBuffer> idle = new ConcurrentLinkedQueue<>();
    private final ExecutorService readers;
    private final Deque<Future<Part>> coming = new ArrayDeque<>();
    private volatile boolean stopped;
    private long requested;
    private long delivered;

    /** A part of the file. Close it after use. */
    record Part(List<ByteBuffer> pieces, int length, Runnable end) implements AutoCloseable {
        private static final Part NOTHING = new Part(List.of(), 0, () -> { });

        @Override
        public void close() {
            end.run();
        }
    }

    /** Each part is also passed to the sink, by the thread that read it, in any order and several at a time. */
    ReadAhead(OpenFile file, long from, long to, int partBytes, Outflow.Sink sink) {
        this.file = file;
        this.sink = sink;
        this.partBytes = file.isSpread() ? Math.min(partBytes, SPREAD_BYTES) : partBytes;
        this.requested = from;
        this.delivered = from;
        this.end = to;
        int most = PARTS * (partBytes / this.partBytes);
        int parts = (int) Math.min(most, (to - from + this.partBytes - 1) / this.partBytes);
        this.readers = Executors.newFixedThreadPool(parts, TransferThreads.threads("read-ahead-"));
        for (int i = 0; i < parts; i++) {
            request();
        }
    }

    /** Begins to read the next part of the range, if there is one. */
    private void request() {
        long from = requested;
        int length = (int) Math.min(partBytes, end - from);
        if (length > 0) {
            requested += length;
            coming.add(readers.submit(() -> stopped ? Part.NOTHING : pass(from, length)));
        }
    }

    private Part pass(long from, int length) throws IOException {
        var part = read(from, length);
        try {
            sink.takeAll(from, part);
            return part;
        } catch (IOException | RuntimeException | Error failed) {
            part.close();
            throw failed;
        }
    }

    private Part read(long from, int length) throws IOException {
        var loan = file.lend(from, length);
        if (loan != null) {
            return new Part(loan.pieces(), loan.length(), loan::close);
        }
        var spare = idle.poll();
        var buffer = spare == null ? arena.allocate(partBytes, PAGE).asByteBuffer() : spare;
        file.read(from, buffer.clear().limit(length));   // a failure ends the read soon
        return new Part(List.of(buffer.flip()), buffer.remaining(), () -> idle.add(buffer));
    }

    /** The next part; an empty one at the end of the range or the file. */
    Part next() throws IOException {
        if (stopped || coming.isEmpty()) {
            return Part.NOTHING;
        }
        try {
            var part = coming.element().get();
            coming.remove();
            boolean whole = part.length() == Math.min(partBytes, end - delivered);
            delivered += part.length();
            if (whole) {
                request();
            } else {
                stopped = true;   // the file was truncated: later parts do not continue this one
            }
            return part;
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException reason ? reason : new IOException(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        }
    }

    @Override
    public void close() {
        stopped = true;
        readers.close();   // waits: running reads write to the memory that is freed here
        for (var part : coming) {
            if (part.state() == Future.State.SUCCESS) {
                part.resultNow().close();
            }
        }
        arena.close();
    }
}
