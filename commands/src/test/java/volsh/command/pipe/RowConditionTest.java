package volsh.command.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Statement;
import volsh.command.render.Row;
import volsh.unit.ByteSize;
import volsh.unit.Span;

/** Conditions in plain words. */
final class RowConditionTest {
    private static final Row ROW = Row.of(Map.of("name", "training-data", "used", new ByteSize(3L << 30), "age",
            new Span(Duration.ofHours(30)), "files", 12, "created", Instant.parse("2026-11-18T08:00:00Z"), "note", ""));

    private static boolean holds(String words) {
        return RowCondition.of(Arrays.asList(words.split(" ")), (row, column) -> ((Row) row).get(column)).test(ROW);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            used > 1GiB                            | true
            used > 3GiB                            | false
            used >= 3GiB                           | true
            used < 4GiB and name like train%       | true
            used>1GiB and name=training-data       | true
            used >1GiB                             | true
            used> 1GiB                             | true
            used = 3072MiB                         | true
            used != 3GiB                           | false
            name like %data                        | true
            name like Train%                       | false
            name like t_aining-data                | true
            name contains ning                     | true
            name =~ ^tr.*a$                        | true
            name matches ^x                        | false
            age > 1d                               | true
            age > 2d                               | false
            files > 9                              | true
            files < 9.5                            | false
            created > 2026-11-18                   | true
            created > 2026-11-18T09:00:00Z         | false
            not files > 9                          | false
            files > 99 or used > 1GiB              | true
            files > 99 or used > 1GiB and name = x | false
            files                                  | true
            note                                   | false
            not note and files                     | true
            """)
    void itHolds(String words, boolean expected) {
        assertThat(holds(words)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"used >", "used > 1GiB and", "and", "used > 1GiB name", "used > lots", "files > many",
            "created > soon", "name =~ (", "usd > 1"})
    void whatIsNoneIsRefused(String words) {
        assertThatThrownBy(() -> holds(words)).isInstanceOfAny(CommandFailure.class, IllegalArgumentException.class);
    }

    /** A sign of a condition is no file; behind a block it is. */
    @Test
    void nothingIsWritten() {
        assertThat(Statement.parse("volume list | where used > 1GiB | count").getFirst().redirect()).isEmpty();
        assertThat(Statement.parse("volume list | where used > 1GiB > file").getFirst().redirect()).isEmpty();
        assertThat(Statement.parse("volume list | where { it.used > 1.GiB } > file").getFirst().redirect()).isPresent();
        assertThat(Statement.parse("volume list | sort used > file").getFirst().redirect()).isPresent();
        assertThat(List.of(Statement.parse("where x > file").getFirst().redirect().isPresent())).containsExactly(true);
    }
}
