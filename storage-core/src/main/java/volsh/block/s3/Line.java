package volsh.block.s3;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection that serves one request after the other, and what it has received of the next answer. One thread uses it at a
 * time; others may cut it off from the request it serves, and only from that.
 */
final class Line {
    private static final int HEAD_MAX = 16 << 10;

    private final Wire wire;
    private final ByteBuffer received = ByteBuffer.allocate(HEAD_MAX).limit(0);
    private boolean reused;      // it has served a request before
    private boolean heard;       // anything of the answer
    private volatile long quietUntil;

    // guarded by this
    private long request;        // 0: none
    private long requests;
    private long endNanos;
    private @Nullable IOException cutOff;

    private long silenceNanos;

    Line(Wire wire) {
        this.wire = wire;
    }

    /** A request begins, which may take so long in all, and so long without a byte; returns its number. */
    synchronized long begin(Duration longest, Duration silence) {
        long now = System.nanoTime();
        silenceNanos = silence.toNanos();
        endNanos = now + longest.toNanos();
        quietUntil = now + silenceNanos;
        heard = false;
        reused = requests > 0;
        request = ++requests;
        return request;
    }

    /** The request has ended; whether another one may follow. */
    synchronized boolean end() {
        request = 0;
        return cutOff == null && !received.hasRemaining();
    }

    /** Ends this request, whatever it waits for; does nothing to another one. */
    synchronized void cut(long number, String reason) {
        if (request == number && cutOff == null) {
            cutOff = new IOException(reason);
            wire.close();
        }
    }

    /** Ends the request if it takes too long. */
    synchronized void cutIfLate(long now) {
        if (request != 0 && cutOff == null && (now - endNanos > 0 || now - quietUntil > 0)) {
            cutOff = new SocketTimeoutException(now - endNanos > 0 ? "timed out" : "timed out: no byte came or went");
            wire.close();
        }
    }

    /** Could the trouble just be that the server has closed the connection since the last request? */
    synchronized boolean mayBeStale() {
        return reused && !heard && cutOff == null;
    }

    void write(ByteBuffer head, ByteBuffer body) throws IOException {
        try {
            quietUntil = System.nanoTime() + silenceNanos;
            wire.write(head, body);
        } catch (IOException failed) {
            throw reason(failed);
        }
    }

    /** Bytes of the head of an answer: all that came so far, from its position on. */
    ByteBuffer received() {
        return received;
    }

    /** Waits for more of the head. */
    void receive() throws IOException {
        received.compact();
        try {
            if (!received.hasRemaining()) {
                throw new IOException("the head of the answer is too long");
            }
            fill(received);
        } finally {
            received.flip();
        }
        heard = true;
    }

    /** Reads at least one byte of the answer's body. */
    void read(ByteBuffer target) throws IOException {
        if (received.hasRemaining()) {
            int count = Math.min(received.remaining(), target.remaining());
            target.put(received.slice(received.position(), count));
            received.position(received.position() + count);
        } else {
            fill(target);
        }
    }

    private void fill(ByteBuffer target) throws IOException {
        try {
            quietUntil = System.nanoTime() + silenceNanos;
            if (wire.read(target) < 0) {
                throw new EOFException("the answer broke off");
            }
        } catch (IOException failed) {
            throw reason(failed);
        }
    }

    private synchronized IOException reason(IOException failed) {
        return cutOff == null ? failed : cutOff;
    }

    void close() {
        wire.close();
    }
}
