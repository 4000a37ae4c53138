package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.volume.StoreAssignment.Away;
import volsh.volume.StoreAssignment.Redundancy;

/** What status says to do next can be done. */
@Tag("volume")
final class RedundancyTest {
    private static final Away WIPED = new Away("s1", "store 's1' has no mark of the volume", true);
    private static final Away SILENT = new Away("s2", "store 's2' does not answer", false);
    private static final Away SILENT_TOO = new Away("s3", "store 's3' does not answer", false);

    private static String next(int losses, long missing, Away... away) {
        return new Redundancy("v", "a layout", 3, losses, missing, List.of(away), false).next();
    }

    @Test
    void healsWhatCanBeMadeAnew() {
        assertThat(next(1, 0)).isEmpty();
        assertThat(next(1, 5)).isEqualTo("volsh heal v");
        assertThat(next(1, 0, WIPED)).isEqualTo("volsh heal v");
        assertThat(next(1, 0, WIPED, SILENT)).isEqualTo("volsh heal v");
    }

    @Test
    void looksAfterSilentStoresFirstWhereNothingCanBe() {
        assertThat(next(1, 0, SILENT)).isEqualTo("volsh store probe s2");
        assertThat(next(1, 5, SILENT)).as("heal could only wait for it").isEqualTo("volsh store probe s2");
        assertThat(next(1, 5, SILENT, SILENT_TOO)).isEqualTo("volsh store probe s2");
        assertThat(next(1, 5, WIPED, SILENT, SILENT_TOO)).isEqualTo("volsh store probe s2");
        assertThat(next(0, 5, SILENT)).isEqualTo("volsh store probe s2");
        assertThat(next(0, 0, WIPED)).isEqualTo("volsh store probe s1");
    }
}
