package volsh.transfer;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import volsh.vfs.OpenFile;

/** Reads a file from front to back, one part ahead of its user. */
final class ReadAhead implements AutoCloseable {
    private final OpenFile file;
    private final ExecutorService reader = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("read-ahead").daemon().factory());
    private ByteBuffer spare;
    private ByteBuffer inUse;
    private Future<ByteBuffer> coming;
    private long offset;

    ReadAhead(OpenFile file, int partBytes) {
        this.file = file;
        this.spare = ByteBuffer.allocateDirect(partBytes);
        this.inUse = ByteBuffer.allocateDirect(partBytes);
        request();
    }

    private void request() {
        var buffer = spare.clear();
        long from = offset;
        coming = reader.submit(() -> {
            file.read(from, buffer);
            return buffer.flip();
        });
    }

    /** The next part; empty at the end of the file. Valid until the next call. */
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
            if (failed.getCause() instanceof IOException reason) {
                throw reason;
            }
            throw new IOException(failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("cancelled");
        }
    }

    @Override
    public void close() {
        reader.shutdown();
        reader.close();
    }
}
