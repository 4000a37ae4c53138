package volsh.command.gateway;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.failure.CommandFailure;
import volsh.command.web.ListenAddress;
import volsh.fs.Owner;
import volsh.gateway.GatewayCertificate;
import volsh.gateway.GatewaySettings;
import volsh.service.GatewayWork;
import volsh.unit.ByteSize;
import volsh.unit.Span;
import volsh.volume.Volumes;

/** The arguments and options that {@code gateway s3} and {@code service gateway} share. */
public final class GatewayOptions {
    @Parameters(paramLabel = "VOLUME", arity = "1..*", split = ",", description = "Volumes to serve.")
    private List<String> volumes;

    @Option(names = "--listen", paramLabel = "[ADDRESS:]PORT",
            description = "Listen here, without an address on 127.0.0.1 (default: a free port).")
    private @Nullable ListenAddress listen;

    @Option(names = "--read-only", description = "Refuse every request that changes a volume.")
    private boolean readOnly;

    @Option(names = "--domain", paramLabel = "NAME", defaultValue = "",
            description = "Take requests to BUCKET.NAME as requests about that bucket.")
    private String domain;

    @Option(names = "--cache-size", paramLabel = "SIZE", defaultValue = "64MiB",
            description = "Keep this much read data in memory, per volume (default: ${DEFAULT-VALUE}).")
    private ByteSize cache;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "Serve HTTPS with this certificate chain (PEM).")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Use this key of the certificate (PEM, PKCS #8).")
    private @Nullable Path key;

    @Option(names = "--expire-uploads", paramLabel = "TIME", defaultValue = "7d",
            description = "Abort uploads in parts that are older than this; 0s: never (default: ${DEFAULT-VALUE}).")
    private Span expireUploads;

    List<String> volumes() {
        return volumes;
    }

    boolean readOnly() {
        return readOnly;
    }

    boolean isEncrypted() {
        return certificate != null;
    }

    /** The first moment whose uploads in parts are kept; empty if all are. */
    Optional<Instant> oldestUpload(Instant now) {
        return readOnly || expireUploads.duration().isZero() ? Optional.empty()
                : Optional.of(now.minus(expireUploads.duration()));
    }

    GatewaySettings settings(Owner owner) {
        return new GatewaySettings(volumes, readOnly, domain, cache.bytes(), owner);
    }

    /** Fails if a volume does not exist. */
    public void require(Volumes all) throws IOException {
        for (String name : volumes) {
            all.find(name);
        }
    }

    ListenAddress listen() {
        return listen == null ? ListenAddress.of("0") : listen;
    }

    Optional<SSLContext> tls() throws IOException {
        requireAllowed();
        return certificate == null || key == null ? Optional.empty()
                : Optional.of(GatewayCertificate.load(certificate, key));
    }

    private void requireAllowed() {
        if ((certificate == null) != (key == null)) {
            throw CommandFailure.usage("--tls-cert and --tls-key belong together");
        }
        if (certificate == null && !listen().address().isLoopbackAddress()) {
            throw CommandFailure.usage("on an address other than loopback, data and signatures must be encrypted:"
                    + " give --tls-cert and --tls-key");
        }
    }

    /** The gateway as a service that serves existing volumes, or whose machine is yet to be. */
    public GatewayWork service() {
        requireAllowed();
        if (listen().port() == 0) {
            throw CommandFailure.usage("a service needs a fixed port, such as --listen 9000");
        }
        return new GatewayWork(volumes, listen().toString(), listen().port(), words());
    }

    private List<String> words() {
        var words = new ArrayList<String>();
        if (readOnly) {
            words.add("--read-only");
        }
        if (!domain.isEmpty()) {
            words.add("--domain=" + domain);
        }
        words.add("--cache-size=" + cache.exact());
        if (certificate != null && key != null) {
            words.add("--tls-cert=" + certificate.toAbsolutePath());
            words.add("--tls-key=" + key.toAbsolutePath());
        }
        words.add("--expire-uploads=" + expireUploads);
        return words;
    }
}
