package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The numbers are those of CPython 3.11. */
final class PythonRandomTest {
    @Test
    void shufflesAsPythonDoes() {
        assertThat(new PythonRandom(7).order(12)).containsExactly(7, 11, 3, 10, 8, 4, 9, 1, 0, 6, 2, 5);
        assertThat(new PythonRandom(0).order(12)).containsExactly(1, 9, 8, 5, 10, 2, 3, 7, 4, 0, 11, 6);
        assertThat(new PythonRandom((1L << 40) + 5).order(12)).containsExactly(3, 5, 2, 9, 6, 7, 1, 10, 0, 4, 11, 8);
    }

    @Test
    void goesOnBehindTheFirstNumbers() {
        int[] order = new PythonRandom(42).order(2000);
        long sum = 0;
        for (int i = 0; i < order.length; i++) {
            sum += (long) i * order[i];
        }
        assertThat(sum).isEqualTo(1971270380);
    }

    @Test
    void drawsAsPythonDoes() {
        var random = new PythonRandom(3);
        assertThat(new int[] {random.below(1000), random.below(1000), random.below(1000)})
                .containsExactly(243, 606, 557);
    }
}
