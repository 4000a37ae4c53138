package volsh.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import volsh.plan.DatasetAdvice.Line;

/** Advice for datasets of all kinds. */
final class DatasetAdviceTest {
    private static DatasetAdvice advice(long files, long size) {
        var sizes = new SampleSizes();
        for (long i = 0; i < files; i++) {
            sizes.add(size);
        }
        return new DatasetAdvice(sizes, 256, "none", 1);
    }

    private static Line line(DatasetAdvice advice, String topic) {
        return advice.lines().stream().filter(line -> line.topic().equals(topic)).findFirst().orElseThrow();
    }

    @Test
    void manySmallFilesShareBlocksAndShards() {
        var advice = advice(200_000, 100_000);
        assertThat(advice.blockBytes()).isEqualTo(4 << 20);
        assertThat(advice.inlineBytes()).isEqualTo(4 << 10);
        assertThat(advice.samplesPerShard()).isEqualTo(2560);
        assertThat(line(advice, "shards").advice()).isEqualTo("79 of 2,560 samples");
        assertThat(line(advice, "shards").reason()).contains("within the usual", "whole batches of 256", "79 readers");
        assertThat(line(advice, "requests").advice()).isEqualTo("256 or about 19");
    }

    @Test
    void tinyFilesAreKeptInTheMetadataUnlessThatBecomesLarge() {
        assertThat(advice(10_000, 9_000).inlineBytes()).isEqualTo(16 << 10);
        assertThat(advice(100_000, 9_000).inlineBytes()).isEqualTo(4 << 10);
    }

    @Test
    void largeFilesNeedNoShards() {
        var advice = advice(100, 300 << 20);
        assertThat(advice.blockBytes()).isEqualTo(16 << 20);
        assertThat(line(advice, "shards").advice()).isEqualTo("none");
    }

    @Test
    void fewFilesAreSharedByEightReaders() {
        var advice = advice(80, 1000);
        assertThat(advice.samplesPerShard()).isEqualTo(10);
        assertThat(line(advice, "shards").reason()).contains("the dataset is small", "8 readers");
        assertThat(advice(1, 1000).samplesPerShard()).isEqualTo(1);
    }
}
