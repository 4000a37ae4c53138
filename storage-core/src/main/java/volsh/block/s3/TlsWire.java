package volsh.block.s3;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** A TLS connection to a server whose certificate is trusted and valid for the requested host. */
final class TlsWire implements Wire {
    private static final int PIECE = 16 << 10;

    private final Socket beneath;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] read = new byte[PIECE];
    private final byte[] written = new byte[PIECE];

    private TlsWire(Socket beneath, SSLSocket secure) throws IOException {
        this.beneath = beneath;
        this.in = secure.getInputStream();
        this.out = secure.getOutputStream();
    }

    /** Performs the handshake over an open connection; no answer may take longer than {@code patience}. */
    static TlsWire over(PlainWire plain, URI server, SSLSocketFactory factory, Duration patience) throws IOException {
        var beneath = plain.channel().socket();
        try {
            var secure = (SSLSocket) factory.createSocket(beneath, server.getHost(), beneath.getPort(), true);
            var parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.setSoTimeout(Math.toIntExact(patience.toMillis()));
            secure.startHandshake();
            return new TlsWire(beneath, secure);
        } catch (IOException | RuntimeException refused) {
            plain.close();
            throw refused;
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int count = in.read(read, 0, Math.min(PIECE, target.remaining()));
        if (count > 0) {
            target.put(read, 0, count);
        }
        return count;
    }

    @Override
    public void write(ByteBuffer head, ByteBuffer body) throws IOException {
        write(head);
        write(body);
    }

    private void write(ByteBuffer data) throws IOException {
        while (data.hasRemaining()) {
            int count = Math.min(PIECE, data.remaining());
            data.get(written, 0, count);
            out.write(written, 0, count);
        }
    }

    /** Without the TLS close message, which would wait for a writing thread. */
    @Override
    public void close() {
        try {
            beneath.close();
        } catch (IOException gone) {
            // closed all the same
        }
    }
}
