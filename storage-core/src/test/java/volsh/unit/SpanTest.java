package volsh.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SpanTest {
    @ParameterizedTest
    @CsvSource({
        "250ms, PT0.25S, 250ms", "30s, PT30S, 30s", "5m, PT5M, 5m", "12h, PT12H, 12h", "30d, PT720H, 30d",
        "2w, PT336H, 14d",
        "1h30m, PT90M, 1h30m", "PT5M, PT5M, 5m", "pt1h, PT1H, 1h", "P2DT1S, PT48H1S, 2d1s", "1.5s, PT1.5S, 1s500ms",
        "0s, PT0S, 0s", "90m, PT90M, 1h30m", "7us, PT0.000007S, 7us", "5M, PT5M, 5m"
    })
    void readsAndPrints(String text, String iso, String printed) {
        assertThat(Span.of(text)).isEqualTo(new Span(Duration.parse(iso))).hasToString(printed);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "soon", "-5m", "30m1h", "1y", "PT-5M", "1h 30m", "m", "P1M", "999999999999w", "PT9999999999999H", "1s1s"
    })
    void refusesTheRest(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Span.of(text))
                .withMessageContaining("'" + text + "' (try ");
    }

    @Test
    void aBareNumberIsNotADuration() {
        assertThatIllegalArgumentException().isThrownBy(() -> Span.of("30"))
                .withMessage("not a duration: '30' (try 30s)");
    }

    @Test
    void printedSpansReadBack() {
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            var span = new Span(Duration.ofNanos(random.nextLong() >>> 1 + random.nextInt(60)));
            assertThat(Span.of(span.toString())).isEqualTo(span);
        }
    }
}
