package volsh.command.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

final class BenchCommandsTest {
    @TempDir
    Path directory;

    private Path place;

    @BeforeEach
    void place() throws IOException {
        place = Files.createDirectory(directory.resolve("place"));
    }

    private Scratch.Ended run(String line) {
        return new Scratch(directory.resolve("home")).run("volsh " + line);
    }

    @Test
    void aRunIsShownKeptAndCompared() throws IOException {
        var ended = run("bench run seqwrite --on " + place + " --size 2MiB -o csv --columns phase,threads,operations");
        assertThat(ended.out()).isEqualToNormalizingNewlines("phase,threads,operations\nwrite+fsync,1,2\n");
        assertThat(ended.err()).contains("kept as ");
        assertThat(run("bench list -o csv --columns profile,target").out()).contains("seqwrite," + place.toRealPath());
        assertThat(run("bench show last -o json").out()).contains("\"phase\": \"write+fsync\"", "\"p99Seconds\"");
        assertThat(run("bench compare last last --fail-if 1%").status()).isZero();
        assertThat(place).isEmptyDirectory();
    }

    /** Slower by more than is tolerated is exit 11; the control, an equal run, is 0. */
    @Test
    void aSlowerRunMissesItsBaseline() throws IOException {
        run("bench run fsync --on " + place + " --size 4KiB");
        assertThat(run("bench baseline save nightly").status()).isZero();
        assertThat(run("bench baseline check nightly last").status()).isZero();
        Path file;
        try (var runs = Files.list(directory.resolve("home/state/bench"))) {
            file = runs.filter(path -> path.getFileName().toString().startsWith("20")).findFirst().orElseThrow();
        }
        Files.writeString(file, Pattern.compile("\"elapsed\" : (\\d+)").matcher(Files.readString(file)).replaceAll("\"elapsed\" : $19"));
        var ended = run("bench baseline check nightly last");
        assertThat(ended.status()).isEqualTo(11);
        assertThat(ended.err()).contains("slower than");
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThat(run("bench run seqread --on " + directory.resolve("none")).status()).isEqualTo(3);
        assertThat(run("bench run seqread").err()).contains("say what to measure, and where");
        assertThat(run("bench run loader --on " + place).err()).contains("there are no files with data");
        assertThat(run("bench run compress --on " + place.resolve("none")).status()).isEqualTo(3);
        assertThat(run("bench run nothing --on " + place).err()).contains("'nothing' is not one of seqwrite");
        assertThat(run("bench run seqread --on " + place + " -t 0").status()).isEqualTo(2);
        assertThat(run("bench show last").err()).contains("no run is called 'last'", "volsh bench list");
        assertThat(run("bench run seqread --on " + place + " -n").out()).contains("write");
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void theLineToPasteIsForPeople() throws IOException {
        for (int i = 0; i < 8; i++) {
            Files.writeString(place.resolve("f" + i), "sample ".repeat(1000));
        }
        var loader = run("bench run loader --on " + place + " --batch 2 --workers 0,2 --gpu-batch 1ms -o csv --columns workers,samples");
        assertThat(loader.out()).isEqualToNormalizingNewlines("workers,samples\n0,8\n2,8\n");
        assertThat(loader.err()).contains("DataLoader(dataset, batch_size=2, num_workers=");
        var compress = run("bench run compress --on " + place + " -o csv --columns compression,raw");
        assertThat(compress.out()).contains("lz4,56000", "zstd:9,56000");
        assertThat(compress.err()).contains("volsh volume create NAME --block-size 4MiB --compression ");
    }
}
