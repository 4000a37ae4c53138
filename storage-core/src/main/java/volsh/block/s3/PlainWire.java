package volsh.block.s3;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** Plain TCP: bytes go between the socket and the caller's memory without another copy. */
record PlainWire(SocketChannel channel) implements Wire {
    /** The runtime copies a buffer on the heap, and caches memory of this size for it. */
    private static final int PIECE = 64 << 10;

    static PlainWire connect(InetSocketAddress address, Duration patience) throws IOException {
        var channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true)
                    .setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.socket().connect(address, Math.toIntExact(patience.toMillis()));
            return new PlainWire(channel);
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (target.isDirect() || target.remaining() <= PIECE) {
            return channel.read(target);
        }
        int limit = target.limit();
        try {
            return channel.read(target.limit(target.position() + PIECE));
        } finally {
            target.limit(limit);
        }
    }

    @Override
    public void write(ByteBuffer head, ByteBuffer body) throws IOException {
        var both = new ByteBuffer[] {head, body};
        int end = body.limit();
        while (head.hasRemaining() || body.position() < end) {
            body.limit(body.isDirect() ? end : Math.min(end, body.position() + PIECE));
            channel.write(both);
            body.limit(end);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException gone) {
            // closed all the same
        }
    }
}
