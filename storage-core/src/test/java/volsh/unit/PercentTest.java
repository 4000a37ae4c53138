package volsh.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PercentTest {
    @Test
    void readsAndPrints() {
        assertThat(Percent.of("80%")).isEqualTo(new Percent(80)).hasToString("80%");
        assertThat(Percent.of("0.1%")).hasToString("0.1%");
        assertThat(Percent.of("0.1%").fraction()).isEqualTo(0.001);
        assertThat(Percent.of("80%").share(1_000_000_000_000_000_003L)).isEqualTo(800_000_000_000_000_002L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"80", "", "%", "101%", "-1%", "many%", "NaN%"})
    void refusesTheRest(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Percent.of(text)).withMessageContaining("percentage");
    }
}
