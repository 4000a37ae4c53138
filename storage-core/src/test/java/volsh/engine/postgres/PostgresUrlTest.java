package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PostgresUrlTest {
    @Test
    void allParts() {
        var url = PostgresUrl.of("postgresql://me%40home:p%2F%3Aw%23@a.example:5433,"
                + "[::1]/my%20db?sslmode=verify-full&sslrootcert=/etc/ca.pem#shared-1");
        assertThat(url.user()).contains("me@home");
        assertThat(url.password()).contains("p/:w#");
        assertThat(url.hosts()).isEqualTo("a.example:5433,[::1]");
        assertThat(url.database()).isEqualTo("my db");
        assertThat(url.options()).containsOnlyKeys("sslmode", "sslrootcert")
                .containsEntry("sslrootcert", "/etc/ca.pem");
        assertThat(url.volume()).isEqualTo("shared-1");
        assertThat(url.jdbc()).isEqualTo("jdbc:postgresql://a.example:5433,[::1]/my%20db");
        assertThat(url.schema()).isEqualTo("volsh_shared-1");
    }

    @Test
    void thePasswordIsKeptButNotShown() {
        var url = PostgresUrl.of("postgres://me:se%20cret@host/db?sslmode=require#v");
        assertThat(url).hasToString("postgres://me@host/db?sslmode=require#v");
        assertThat(url.secret()).isEqualTo("postgres://me:se%20cret@host/db?sslmode=require#v");
        assertThat(PostgresUrl.of(url.secret())).isEqualTo(url);
        var odd = PostgresUrl.of("postgres://a%2Fb%40:%2F%3A%23%3F%25+%20@host/d%2Fb?sslrootcert=/a%26b");
        assertThat(odd.password()).contains("/:#?%+ ");
        assertThat(PostgresUrl.of(odd.secret())).isEqualTo(odd);
        assertThat(odd.toString()).isEqualTo("postgres://a%2Fb%40@host/d%2Fb?sslrootcert=/a%26b");
        assertThat(PostgresUrl.of(url.toString()).password()).isEqualTo(Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "postgres://", "postgres://host", "postgres://host/", "postgres://secret@host/db?socketFactory=evil",
        "postgres://secret@host/db?password=secret", "postgres://secret@host/db#Capital",
        "postgres://secret@host/db#a\"b", "postgres://secret@ho st/db", "postgres://secret@host/db?x",
        "file:///secret"})
    void nonsenseIsRefusedWithoutRepeatingSecrets(String text) {
        assertThatThrownBy(() -> PostgresUrl.of(text)).isInstanceOf(IllegalArgumentException.class).message()
                .doesNotContain("secret");
    }

    @Test
    void volumesAmongSchemas() {
        assertThat(PostgresUrl.volumes(List.of("public", "volsh_b", "volsh_", "volsh_A", "volsh_a-1")))
                .containsExactly("a-1", "b");
        assertThatThrownBy(() -> PostgresUrl.of("postgres://host/db").schema()).hasMessageContaining("#name");
        assertThatThrownBy(() -> PostgresUrl.of("postgres://host/db#" + "a".repeat(58))).hasMessageContaining("57");
    }
}
