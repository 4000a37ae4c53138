package volsh.gateway;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A certificate and its key, from files in PEM, as a server shows them. */
public final class GatewayCertificate {
    private static final Pattern KEY = Pattern.compile(
            "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private GatewayCertificate() {}

    /** @throws IOException that says which file is wrong, and why */
    public static SSLContext load(Path certificates, Path key) throws IOException {
        try {
            var chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificates)))
                    .toArray(Certificate[]::new);
            if (chain.length == 0) {
                throw new IOException("'%s' has no certificate in PEM".formatted(certificates));
            }
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("gateway", key(key), new char[0], chain);
            var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, new char[0]);
            var context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException wrong) {
            throw new IOException("cannot use certificate '%s' with key '%s': %s"
                    .formatted(certificates, key, wrong.getMessage()), wrong);
        }
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        var match = KEY.matcher(Files.readString(file, StandardCharsets.US_ASCII));
        if (!match.find()) {
            throw new IOException("'%s' has no key in PKCS #8 ('-----BEGIN PRIVATE KEY-----')".formatted(file));
        }
        var spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(match.group(1)));
        for (String algorithm : new String[] {"RSA", "EC", "EdDSA"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException another) {
                // of the next kind, perhaps
            }
        }
        throw new IOException("'%s' is neither an RSA nor an EC key".formatted(file));
    }
}
