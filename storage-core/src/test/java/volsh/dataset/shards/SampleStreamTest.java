package volsh.dataset.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.dataset.shards.ShardAssignment.Evenness;
import volsh.shard.FormatOptions;

final class SampleStreamTest {
    private static final ShardAssignment ALONE = new ShardAssignment(1, 1, Evenness.UNEVEN);

    @TempDir
    Path directory;

    private List<ShardFile> shards;

    @BeforeEach
    void pack() throws IOException {
        Corpus.imageFolder(directory.resolve("images"), 5, 9).pack(directory.resolve("shards"));
        shards = Corpus.shards(directory.resolve("shards"));
    }

    private SampleStream stream(int buffer, long seed, boolean resample) {
        return new SampleStream(shards, new SampleStream.Settings(buffer, buffer > 0, seed, 0, resample, ALONE, 0, 0,
                FormatOptions.DEFAULT));
    }

    private List<String> keys(int buffer, long seed) throws IOException {
        try (var stream = stream(buffer, seed, false)) {
            return Corpus.keys(stream, Long.MAX_VALUE);
        }
    }

    @Test
    void everySampleOnceInAnOrderOfTheSeed() throws IOException {
        var plain = keys(0, 0);
        assertThat(plain).hasSize(45).doesNotHaveDuplicates();
        assertThat(keys(20, 7)).containsExactlyInAnyOrderElementsOf(plain).isNotEqualTo(plain).isEqualTo(keys(20, 7))
                .isNotEqualTo(keys(20, 8)).isNotEqualTo(keys(5, 7));
    }

    @Test
    void goesOnFromAnyPosition() throws IOException {
        var all = keys(10, 3);
        for (int position : new int[] {0, 1, 9, 10, 44, 45, 100}) {
            try (var stream = stream(10, 3, false)) {
                stream.skip(position);
                assertThat(Corpus.keys(stream, 100)).isEqualTo(all.subList(Math.min(position, 45), 45));
            }
        }
    }

    @Test
    void resampledItGoesOnInAnotherOrder() throws IOException {
        try (var stream = stream(10, 3, true)) {
            var keys = Corpus.keys(stream, 135);
            assertThat(keys).hasSize(135);
            assertThat(keys.subList(45, 90)).containsExactlyInAnyOrderElementsOf(keys.subList(0, 45))
                    .isNotEqualTo(keys.subList(0, 45));
        }
    }

    @Test
    void ranksAndWorkersShareTheSamples() throws IOException {
        var all = new ArrayList<String>();
        for (int reader = 0; reader < 6; reader++) {
            try (var stream = new SampleStream(shards, new SampleStream.Settings(4, true, 7, 0, false,
                    new ShardAssignment(3, 2, Evenness.UNEVEN), reader / 2, reader % 2, FormatOptions.DEFAULT))) {
                all.addAll(Corpus.keys(stream, 100));
            }
        }
        assertThat(all).containsExactlyInAnyOrderElementsOf(keys(0, 0));
    }

    /** The buffer holds samples of shards that have been read to their end. */
    @Test
    void fieldsCanBeReadAsLongAsTheirSampleIsTheLast() throws IOException {
        try (var stream = stream(40, 7, false)) {
            for (var drawn = stream.next(); drawn != null; drawn = stream.next()) {
                for (var field : drawn.sample().fields()) {
                    assertThat(field.open().readAllBytes()).hasSize((int) field.size());
                }
            }
        }
    }
}
