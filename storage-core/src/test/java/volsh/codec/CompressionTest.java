package volsh.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CompressionTest {
    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd:1", "zstd:3", "zstd:10", "zstd:19", "planes:1", "planes:19"})
    void readsAndPrints(String text) {
        assertThat(Compression.of(text)).hasToString(text);
    }

    @Test
    void zstdMeansLevelThree() {
        assertThat(Compression.of("zstd")).isEqualTo(new Compression.Zstd(3));
        assertThat(Compression.of("planes")).isEqualTo(new Compression.Planes(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "LZ4", "gzip", "zstd:", "zstd:0", "zstd:20", "zstd:-1", "lz4:3", "planes:0",
            "planes:20"})
    void refusesTheRest(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Compression.of(text))
                .withMessageContaining("try none, lz4 or zstd:3");
    }
}
