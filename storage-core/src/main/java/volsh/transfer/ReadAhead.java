package volsh.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.vfs.OpenFile;

/** Reads a range of a file from front to back, one part ahead of its user. */
final class ReadAhead implements AutoCloseable {
    private static final int PAGE = 4096;

    private final OpenFile file;
    private final long end;
    private final Arena arena = Arena.ofShared();
    private final ExecutorService reader = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("read-ahead").daemon().factory());
    private ByteBuffer spare;
    private ByteBuffer inUse;
    private Future<ByteBuffer> coming;
    private long offset;

    ReadAhead(OpenFile file, long from, long to, int partBytes) {
        this.file = file;
        this.offset = from;
        this.end = to;
        long size = Math.min(partBytes, to - from);
        this.spare = arena.allocate(size, PAGE).asByteBuffer();
        this.inUse = arena.allocate(size, PAGE).asByteBuffer();
        request();
    }

    private void request() {
        var buffer = spare.clear();
        buffer.limit((int) Math.min(buffer.capacity(), end - offset));
        long from = offset;
        coming = reader.submit(() -> {
            file.read(from, buffer);
            return buffer.flip();
        });
    }

    /** The next part; empty at the end of the range or the file. Valid until the next call. */
    ByteBuffer next() throws IOException {
        try {
            var part = coming.get();
            offset += part.remaining();
            spare = inUse;
            inUse = part;
            if (part.hasRemaining()) {
                request();
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
        reader.close();   // waits: the reader may still be writing to the memory that goes now
        arena.close();
    }
}
