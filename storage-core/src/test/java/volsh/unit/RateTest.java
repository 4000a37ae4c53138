package volsh.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RateTest {
    @Test
    void readsAndPrints() {
        assertThat(Rate.of("2GiB/s")).isEqualTo(new Rate(2 * ByteSize.GIB)).hasToString("2GiB/s");
        assertThat(Rate.of("200MB/s").bytesPerSecond()).isEqualTo(200_000_000);
        assertThat(Rate.of(new Rate(1_234_567).exact())).isEqualTo(new Rate(1_234_567));
    }

    @ParameterizedTest
    @ValueSource(strings = {"200MB", "fast", "/s", "0/s", "1GiB/m", "-1/s", "1GiB/s/s"})
    void refusesTheRest(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Rate.of(text))
                .withMessage("not a rate: '" + text + "' (try 200MB/s)");
    }
}
