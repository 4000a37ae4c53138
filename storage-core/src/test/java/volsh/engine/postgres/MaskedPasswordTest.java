package volsh.engine.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** No message has the password, and a short password garbles none. */
final class MaskedPasswordTest {
    @Test
    void aShortPasswordIsMaskedWhereItIsOne() {
        assertThat(PostgresFailures.masked("connection to postgres://u:p@host:5432/p refused, password=p", "p"))
                .isEqualTo("connection to postgres://u:***@host:5432/p refused, password=***");
        assertThat(PostgresFailures.masked("password authentication failed for user \"p\"", "p"))
                .isEqualTo("password authentication failed for user \"p\"");
    }

    @Test
    void aLongOneIsMaskedEverywhere() {
        assertThat(PostgresFailures.masked("syntax error at or near \"hunter2hunter2\"", "hunter2hunter2"))
                .isEqualTo("syntax error at or near \"***\"");
    }
}
