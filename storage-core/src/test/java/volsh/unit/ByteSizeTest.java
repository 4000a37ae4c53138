package volsh.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0", "4096, 4096", "4096B, 4096", "1k, 1024", "1K, 1024", "1KiB, 1024", "1kib, 1024", "1kB, 1000",
        "1KB, 1000",
        "4M, 4194304", "4MiB, 4194304", "4MB, 4000000", "1G, 1073741824", "1GB, 1000000000", "1.5TiB, 1649267441664",
        "2t, 2199023255552", "1TB, 1000000000000", "1P, 1125899906842624", "1PB, 1000000000000000", "0.1k, 102",
        "9223372036854775807, 9223372036854775807", "8191PiB, 9222246136947933184", "4 MiB, 4194304"
    })
    void readsWhatPeopleWrite(String text, long bytes) {
        assertThat(ByteSize.of(text)).isEqualTo(new ByteSize(bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "lots", "", "-1", "1.5", "1.5B", "4MiBs", "4 M iB", ".5k", "1e3", "0x10", "8192PiB", "9223372036854775808",
        "4E", "80%", "٣k"
    })
    void refusesTheRest(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ByteSize.of(text))
                .withMessageContaining("'" + text + "' (try");
    }

    @Test
    void saysWhatToTry() {
        assertThatIllegalArgumentException().isThrownBy(() -> ByteSize.of("lots"))
                .withMessage("not a size: 'lots' (try 4MiB)");
        assertThatIllegalArgumentException().isThrownBy(() -> new ByteSize(-1));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0B", "1023, 1023B", "1024, 1KiB", "4194304, 4MiB", "1610612736, 1.5GiB", "15247133900, 14.2GiB",
        "1048575, 1MiB", "1048524, 1023.9KiB", "9223372036854775807, 8192PiB"
    })
    void printsForPeople(long bytes, String text) {
        assertThat(new ByteSize(bytes)).hasToString(text);
    }

    @Test
    void exactReadsBackAsTheSameSize() {
        assertThat(new ByteSize(1536 * ByteSize.MIB).exact()).isEqualTo("1536MiB");
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            var size = new ByteSize(
                    random.nextLong() >>> 1 + random.nextInt(63) << random.nextInt(20) & Long.MAX_VALUE);
            assertThat(ByteSize.of(size.exact())).isEqualTo(size);
        }
    }

    @Test
    void comparesByBytes() {
        assertThat(ByteSize.of("1MB")).isLessThan(ByteSize.of("1MiB"));
    }
}
