package volsh.block.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * The trusted certificate authorities: those of the Java runtime, or those in a PEM file instead. As with other AWS
 * tools the file is named by {@code AWS_CA_BUNDLE}.
 */
record TrustedCertificates(Optional<Path> bundle) {
    static TrustedCertificates of(Map<String, String> environment) {
        return new TrustedCertificates(Optional.ofNullable(environment.get("AWS_CA_BUNDLE"))
                .filter(name -> !name.isEmpty()).map(Path::of));
    }

    /** Empty means the runtime's own. */
    Optional<TrustManager[]> managers() throws IOException {
        if (bundle.isEmpty()) {
            return Optional.empty();
        }
        try (InputStream file = Files.newInputStream(bundle.get())) {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                store.setCertificateEntry("authority-" + number++, each);
            }
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return Optional.of(factory.getTrustManagers());
        } catch (GeneralSecurityException unreadable) {
            throw new IOException("AWS_CA_BUNDLE: cannot read certificates from " + bundle.get(), unreadable);
        }
    }

    /** Creates connections to servers that these authorities certify. */
    SSLSocketFactory sockets() throws IOException {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers().orElse(null), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException unusable) {
            throw new IOException("TLS is not available", unusable);
        }
    }
}
