package volsh.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.bench.Measurement;
import volsh.bench.Terms;
import volsh.place.LayoutPolicy;
import volsh.plan.CacheFit;
import volsh.unit.ByteSize;

/** Benches with volumes of their own: what they count is right, and nothing is left of them. */
final class TrialTest {
    private static final ByteSize SAMPLE = ByteSize.of("64KiB");

    @TempDir
    Path directory;

    private Terms terms(String size, int threads) {
        return new Terms(directory, ByteSize.of(size), SAMPLE, threads, Optional.empty(), false, 11, () -> false,
                _ -> { });
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(directory).isEmptyDirectory();
    }

    /**
     * Three sizes of cache, two passes behind the first: the forecast is right within five points. The control: that of
     * lru is not.
     */
    @Test
    void hitsAreForecastWithinFivePoints() throws IOException {
        var size = ByteSize.of("16MiB");
        var caches = List.of(ByteSize.of("4MiB"), ByteSize.of("8MiB"), ByteSize.of("13MiB"));
        var epochs = new EpochTrial(terms("16MiB", 1), "").run(caches, 3);
        assertThat(epochs).hasSize(9);
        for (var epoch : epochs) {
            if (epoch.number() == 1) {
                assertThat(epoch.hits()).as("%s", epoch).isZero();
            } else {
                assertThat(epoch.off()).as("%s", epoch).isLessThan(5);
                double lru = CacheFit.of(size, epoch.cache()).get(1).shuffled();
                assertThat(100 * Math.abs(epoch.hits() - lru)).as("%s beside lru %s", epoch, lru).isGreaterThan(5);
            }
        }
    }

    @Test
    void aCacheThatHoldsEverythingHitsEverything() throws IOException {
        var epochs = new EpochTrial(terms("2MiB", 2), "").run(List.of(ByteSize.of("8MiB")), 2);
        assertThat(epochs).extracting(EpochTrial.Epoch::hits).containsExactly(0.0, 1.0);
        assertThat(epochs.getLast().forecast()).isEqualTo(1);
    }

    @Test
    void missesMissAndHitsHit() throws IOException {
        var rows = new CacheTrial(terms("2MiB", 2), "").run();
        assertThat(rows).extracting(Measurement::phase).containsExactly("miss", "hit-memory", "hit-disk");
        assertThat(rows).extracting(row -> row.shares().get("hits")).containsExactly(0.0, 1.0, 1.0);
        assertThat(rows).allMatch(row -> row.operations() == 32 && row.bytes().equals(ByteSize.of("2MiB")));
    }

    @Test
    void everyLayoutIsWrittenAndRead() throws IOException {
        var rows = new LayoutTrial(terms("1MiB", 2), 3,
                "").run(List.of(LayoutPolicy.of("stripe:1"), LayoutPolicy.of("stripe:all"), LayoutPolicy.of("ec:2+1")));
        assertThat(rows).extracting(Measurement::phase).containsExactly("stripe:1 write+fsync", "stripe:1 read",
                "stripe:all write+fsync", "stripe:all read", "ec:2+1 write+fsync", "ec:2+1 read");
        assertThat(rows).allMatch(row -> row.bytes().equals(ByteSize.of("1MiB")) && row.threads() == 2);
        assertThatThrownBy(() -> new LayoutTrial(terms("1MiB", 1), 0, "")).hasMessageContaining("1 to 64 stores");
        assertThatThrownBy(() -> new LayoutTrial(terms("1MiB", 1), 2, "").run(List.of(LayoutPolicy.of("mirror:3"))))
                .isInstanceOf(Exception.class);
    }
}
