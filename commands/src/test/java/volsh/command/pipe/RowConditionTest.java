package volsh.command.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
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
import volsh.unit.Percent;
import volsh.unit.Rate;
import volsh.unit.Span;

/** Conditions in plain words. */
final class RowConditionTest {
    private static final Row ROW = row();

    private static Row row() {
        var cells = new LinkedHashMap<String, Object>(Map.of("name", "training-data", "used", new ByteSize(3L << 30),
                "age", new Span(Duration.ofHours(30)), "files", 12, "created", Instant.parse("2026-11-18T08:00:00Z"),
                "note", "", "rate", new Rate(20_000_000), "idle", 0, "labels", Map.of("tier", "gold")));
        cells.put("readOnly", true);
        cells.put("hit", new Percent(99.5));
        cells.put("quota", null);
        cells.put("now", Instant.now().minusSeconds(3600));
        return Row.of(cells);
    }

    private static boolean holds(String words) {
        return RowCondition.of(Arrays.asList(words.split(" "))).test().test(ROW);
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
            used > 1.5GiB                          | true
            used > 3221225471                      | true
            used = 3221225472                      | true
            used > -1                              | true
            age > 3600                             | true
            age = 30h                              | true
            rate > 10MB/s                          | true
            rate > 10MB                            | true
            rate < 20000000                        | false
            idle < 10MB/s                          | true
            idle < 10MB                            | true
            idle < 5s                              | true
            idle < 10k                             | true
            files < 0.1k                           | true
            files > 1k                             | false
            hit > 99%                              | true
            hit > 99.6                             | false
            now > -2h                              | true
            now > now-30m                          | false
            now > yesterday                        | true
            created > 2020-01-01T00:00Z            | true
            readOnly = yes                         | true
            readOnly = true                        | true
            readOnly != no                         | true
            readOnly                               | true
            quota = -                              | true
            quota != -                             | false
            quota is null                          | true
            quota is not null                      | false
            used is not empty                      | true
            quota > 1GiB                           | false
            quota < 1GiB                           | false
            quota != 1GiB                          | true
            note = -                               | true
            note is empty                          | true
            labels.tier = gold                     | true
            labels.zone = a                        | false
            labels.zone is null                    | true
            name in a,training-data                | true
            name in (a, b)                         | false
            name in (a, training-data)             | true
            name not in a,b                        | true
            files in 11,12                         | true
            name not like x%                       | true
            name like train*                       | true
            name !~ ^x                             | true
            name !~ ^train                         | false
            name starts-with train                 | true
            name ends-with data                    | true
            (files > 99 or used > 1GiB) and name = x | false
            (files > 99 or used > 1GiB) and (name = training-data) | true
            not (files > 99 or used > 9GiB)        | true
            USED > 1GiB AND name LIKE train%       | true
            it.used > 1GiB                         | true
            $it.used > 1GiB                        | true
            """)
    void itHolds(String words, boolean expected) {
        assertThat(holds(words)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"used >", "used > 1GiB and", "and", "used > 1GiB name", "used > lots", "files > many",
            "created > soon", "name =~ (", "usd > 1", "used > 5s", "age > 1GiB", "created > 5", "created > 2d",
            "(used > 1GiB", "used > 1GiB)", "name is big", "readOnly = perhaps", "name in"})
    void whatIsNoneIsRefused(String words) {
        assertThatThrownBy(() -> holds(words)).isInstanceOfAny(CommandFailure.class, IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            used > 1GiB and name like 'train%'     | true
            name = 'training-data'                 | true
            name='training-data' and files>9       | true
            name = "and"                           | false
            name != 'is null'                      | true
            note = ''                              | true
            (files = 12)                           | true
            files=12 && used>1GiB                  | true
            """)
    void aTextHasQuotes(String text, boolean expected) {
        assertThat(RowCondition.of(text).test().test(ROW)).isEqualTo(expected);
    }

    @Test
    void itTellsItsColumnsAndWhatIsWrong() {
        assertThat(RowCondition.of("used > 1 and (name = x or labels.tier is null)").columns())
                .containsExactly("used", "name", "labels.tier");
        assertThatThrownBy(() -> RowCondition.of("name = 'x")).hasMessageContaining("quote is not closed");
        assertThatThrownBy(() -> RowCondition.of("")).hasMessageContaining("a column is missing");
        assertThatThrownBy(() -> holds("used > lots")).hasMessage("used: not a size: 'lots' (try 4MiB)");
        assertThatThrownBy(() -> holds("files > many"))
                .hasMessage("files: not a number: 'many' (try 5, 10k or 80%)");
        assertThatThrownBy(() -> holds("usd > 1")).hasMessageContaining("did you mean used?");
        assertThatThrownBy(() -> holds("name = a b")).hasMessageContaining("'b' is one word too many");
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
