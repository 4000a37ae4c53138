package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaUnavailableException;
import volsh.postgrestest.PostgresServer;

/** TLS as the URL asks for it. */
final class TlsTest {
    @TempDir
    Path directory;

    @Test
    void aServerIsVerifiedIfTheUrlSaysSo() throws Exception {
        try (var server = PostgresServer.withTls()) {
            var known = Files.copy(server.certificate(), directory.resolve("ca.crt"),
                    StandardCopyOption.REPLACE_EXISTING);
            var volume = UUID.randomUUID();
            var safe = url(server, "127.0.0.1", "verify-full", known);
            try (var engine = PostgresMetaEngine.create(safe, volume)) {
                put(engine, "a", "1");
            }
            assertThat(isEncrypted(safe)).isTrue();
            assertThat(isEncrypted(PostgresUrl.of(server.url() + "?sslmode=disable"))).as("the detector").isFalse();
            try (var engine = PostgresMetaEngine.open(safe, volume)) {
                assertThat(read(engine, "a")).isEqualTo("1");
            }
            assertThatThrownBy(() -> PostgresMetaEngine.open(url(server, "localhost", "verify-full", known), volume))
                    .as("another name").isInstanceOf(MetaUnavailableException.class).hasMessageContaining("localhost");
            var another = Path.of("/etc/ssl/certs/ca-certificates.crt");
            if (Files.exists(another)) {
                assertThatThrownBy(() -> PostgresMetaEngine.open(url(server, "127.0.0.1", "verify-full", another),
                        volume))
                        .as("another authority").isInstanceOf(MetaUnavailableException.class);
            }
        }
    }

    private static PostgresUrl url(PostgresServer server, String host, String mode, Path root) {
        return PostgresUrl.of("postgres://volsh@%s:%d/volsh?sslmode=%s&sslrootcert=%s#safe"
                .formatted(host, server.port(), mode, root));
    }

    private static boolean isEncrypted(PostgresUrl url) throws Exception {
        try (var connection = new PostgresConnections(url).open();
                var result = connection.createStatement()
                        .executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
            return result.next() && result.getBoolean(1);
        }
    }
}
