package volsh.block.s3;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.S3Client;
import volsh.block.S3Options;

/** The SDK's client, built on first use: that costs a second of CPU in a process that has just started. */
final class Sdk implements AutoCloseable {
    private final S3Options options;
    private final String region;
    private final TrustedCertificates trusted;
    private final Optional<HttpProxy> proxy;
    private @Nullable S3Client client;
    private boolean closed;

    Sdk(S3Options options, String region, TrustedCertificates trusted, Optional<HttpProxy> proxy) {
        this.options = options;
        this.region = region;
        this.trusted = trusted;
        this.proxy = proxy;
    }

    synchronized S3Client client() throws IOException {
        if (closed) {
            throw new IOException("the store is closed");
        }
        if (client == null) {
            client = Connection.open(options, region, trusted, proxy);
        }
        return client;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (client != null) {
            client.close();
        }
    }
}
