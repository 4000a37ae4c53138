package volsh.command.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import volsh.command.tree.Scratch;

/** What scripts and people read of plans; the figures themselves are in {@code PlanTest}. */
final class PlanCommandsTest {
    @TempDir
    Path directory;

    private Scratch.Ended run(String line) {
        return new Scratch(directory.resolve("home")).run("volsh " + line);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "plan bandwidth --gpus 512 --batch 4 --sample 8KiB --step 2s -o value:rate | 8388608",
        "plan bandwidth --preset llm7b -o value:rate | 1333333",
        "plan bandwidth --preset resnet50 --delivers 400MB/s -o value:busy | 30",
        "plan iops --preset resnet50 -o value:reads | 10240",
        "plan prefetch --workers 8 --factor 4 --batch 256 --shape 3x224x224 --dtype f32 -o value:worker | 616562688",
        "plan meta --jobs 100 --workers 16 --files-per-second 100 -o value:operations | 160000",
        "plan checkpoint --stall 60s --every 15m --gpus 512 --usd 3 -o value:usdPerWeek | 17203.2",
        "plan checkpoint --params 70e9 --bandwidth 10GB/s --mtbf 6h -o value:size | 980000000000",
    })
    void exactFigures(String line, String figure) {
        var ended = run(line);
        assertThat(ended.err()).isEmpty();
        assertThat(Double.parseDouble(ended.out().strip())).isEqualTo(Double.parseDouble(figure));
    }

    @Test
    void whatIsUnknownIsNullUnderItsName() {
        assertThat(run("plan checkpoint --stall 30s --every 1h -o json").out())
                .contains("\"dalySeconds\": null", "\"sizeBytes\": null");
    }

    @Test
    void aDirectoryIsCounted() throws Exception {
        Files.write(directory.resolve("one"), new byte[750]);
        Files.createDirectory(directory.resolve("below"));
        Files.write(directory.resolve("below/two"), new byte[250]);
        var ended = run("plan cache " + directory + " --cache 800B -o csv --columns policy,shuffled,fixed");
        assertThat(ended.out()).contains("volsh,80.0,80.0", "lru,47.8,0.0");
        assertThat(run("plan cache " + Files.createDirectory(directory.resolve("empty")) + " --cache 1MiB").err())
                .contains("has no files");
        assertThat(run("plan cache " + directory.resolve("none") + " --cache 1MiB").status()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "plan bandwidth | missing options: give --gpus",
        "plan bandwidth --gpus 0 --batch 1 --sample 1B --step 1s | the number of GPUs must be greater than 0",
        "plan bandwidth --preset nope | 'nope' is not one of resnet50, llm7b, video",
        "plan bandwidth --preset video --samples 99999999999999999 | too large: 99999999999999999",
        "plan prefetch --workers 8 --batch 256 --shape 3xx | not a shape",
        "plan checkpoint --gpus 4 | missing cost of a checkpoint",
        "plan checkpoint --stall 30s | missing interval",
        "plan checkpoint --params NaN --bandwidth 1GB/s --every 1h | the number of parameters must be greater than 0",
        "plan cache --cache 1GiB | missing dataset",
        "plan storage --rate 1GB/s --dataset 1TB --redundancy 4 | try 10+4",
        "plan access --dataset 4TB --disk 2TB --epochs 0 | the number of epochs must be greater than 0",
    })
    void nonsenseIsRefused(String line, String message) {
        var ended = run(line);
        assertThat(ended.err()).contains(message).doesNotContain("Exception");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
    }
}
