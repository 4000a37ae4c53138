package volsh.block.s3;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A connection that serves one request after the other, with the received part of the next response. Used by one thread
 * at a time; others may abort its current request, and only that.
 */
final class Line {
    private static final int HEAD_MAX = 16 << 10;
    /** Sent at once: the limit of silence is for each. */
    private static final int SENT = 256 << 10;
    /** A request that moves bytes at least this fast, per second, has no limit of time. */
    private static final long SLOWEST = 64 << 10;

    private final Wire wire;
    private final ByteBuffer received = ByteBuffer.allocate(HEAD_MAX).limit(0);
    private boolean reused;      // has served a request before
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

    /** Begins a request with a limit of time, which grows with its bytes, and one without any; returns its number. */
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

    /** Ends the request; returns whether another one may follow. */
    synchronized boolean end() {
        request = 0;
        return cutOff == null && !received.hasRemaining();
    }

    /** Aborts this request, whatever it waits for; does nothing to another one. */
    synchronized void cut(long number, String reason) {
        if (request == number && cutOff == null) {
            cutOff = new IOException(reason);
            wire.close();
        }
    }

    /** Aborts the request if it takes too long. */
    synchronized void cutIfLate(long now) {
        if (request != 0 && cutOff == null && (now - endNanos > 0 || now - quietUntil > 0)) {
            cutOff = new SocketTimeoutException(
                    now - endNanos > 0 ? "timed out" : "timed out: no data was transferred");
            wire.close();
        }
    }

    /** Whether the failure could just mean that the server has closed the connection since the last request. */
    synchronized boolean mayBeStale() {
        return reused && !heard && cutOff == null;
    }

    void write(ByteBuffer head, ByteBuffer body) throws IOException {
        try {
            int end = body.limit();
            do {
                quietUntil = System.nanoTime() + silenceNanos;
                int at = body.position();
                wire.write(head, body.limit(Math.min(end, at + SENT)));
                moved(body.position() - at);
                body.limit(end);
            } while (body.hasRemaining());
        } catch (IOException failed) {
            throw reason(failed);
        }
    }

    /** The received bytes of a response head, from the position on. */
    ByteBuffer received() {
        return received;
    }

    /** Waits for more of the head. */
    void receive() throws IOException {
        received.compact();
        try {
            if (!received.hasRemaining()) {
                throw new IOException("invalid HTTP response: headers too long");
            }
            fill(received);
        } finally {
            received.flip();
        }
        heard = true;
    }

    /** Reads at least one byte of the response body. */
    void read(ByteBuffer target) throws IOException {
        if (received.hasRemaining()) {
            int count = Math.min(received.remaining(), target.remaining());
            target.put(received.slice(received.position(), count));
            received.position(received.position() + count);
        } else {
            int at = target.position();
            fill(target);
            moved(target.position() - at);
        }
    }

    /** Large requests may take long on slow connections. */
    private synchronized void moved(int bytes) {
        endNanos += bytes * 1_000_000_000L / SLOWEST;
    }

    private void fill(ByteBuffer target) throws IOException {
        try {
            quietUntil = System.nanoTime() + silenceNanos;
            if (wire.read(target) < 0) {
                throw new EOFException("the server closed the connection in the middle of a response");
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
