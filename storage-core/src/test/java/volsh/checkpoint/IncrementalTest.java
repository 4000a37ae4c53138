package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.VolumeDraft;
import volsh.tensor.TensorSamples;
import volsh.unit.ByteSize;
import volsh.vfs.Pieces.Cut;
import volsh.volume.Volume;

/** Checkpoints of a model that changes little take little more than one. */
final class IncrementalTest {
    private static final int TENSORS = 40;
    private static final int TENSOR_BYTES = 300_000;
    private static final int STEPS = Boolean.getBoolean("volsh.long") ? 10 : 5;

    @TempDir
    Path directory;

    private Volume volume;
    private Map<String, byte[]> tensors = new LinkedHashMap<>();

    @BeforeEach
    void open() throws IOException {
        var volumes = CheckpointsTest.volumes(directory);
        volumes.create(VolumeDraft.named("ckpts").withBlockSize(ByteSize.of("256KiB")));
        volume = volumes.open("ckpts", Access.WRITE, "test");
        for (int i = 0; i < TENSORS; i++) {
            tensors.put("layer." + i, TensorSamples.floats(TENSOR_BYTES + 4 * i, i));
        }
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
    }

    private Checkpoints checkpoints() {
        return CheckpointsTest.checkpoints(volume, InstantSource.system());
    }

    private interface Format {
        byte[] write(Map<String, byte[]> tensors) throws IOException;
    }

    private Manifest save(long step, String name, Format format) throws IOException {
        Path model = Files.createDirectories(directory.resolve("model"));
        Files.write(model.resolve(name), format.write(tensors));
        var saved = checkpoints().save("r1", step, model, Map.of(), true);
        assertThat(saved.manifest().orElseThrow().bytes()).isGreaterThan((long) TENSORS * TENSOR_BYTES);
        return saved.manifest().orElseThrow();
    }

    private void several(String name, Format format) throws IOException {
        long size = save(0, name, format).bytes();
        long one = volume.usage().storedBytes();
        for (int step = 1; step < STEPS; step++) {
            for (int i = 0; i < TENSORS / 20; i++) {
                int changed = (7 * step + i) % TENSORS;
                tensors.put("layer." + changed, TensorSamples.floats(TENSOR_BYTES + 4 * changed, 1000L * step + i));
            }
            var manifest = save(step, name, format);
            assertThat(manifest.fresh() + manifest.shared()).isEqualTo(manifest.bytes());
            assertThat(manifest.fresh()).as("new bytes of step %d", step).isLessThan(size / 12);
        }
        long all = volume.usage().storedBytes();
        System.out.printf("%s: one checkpoint of %d takes %d, %d with 5 %% changed each take %d%n", name, size, one,
                STEPS, all);
        assertThat(all - one).isLessThan(one * 7 / 90 * (STEPS - 1));
        for (int step : Boolean.getBoolean("volsh.long") ? IntStream.range(0, STEPS).toArray()
                : new int[] {0, STEPS - 1}) {
            assertThat(checkpoints().verify(checkpoints().find("r1", OptionalLong.of(step)))).isEmpty();
        }
        for (int step = 0; step < STEPS - 1; step++) {
            checkpoints().destroy(checkpoints().find("r1", OptionalLong.of(step)));
        }
        assertThat(checkpoints().verify(checkpoints().find("r1", OptionalLong.empty()))).isEmpty();
    }

    @Test
    void safetensors() throws IOException {
        several("model.safetensors", TensorSamples::safetensors);
    }

    @Test
    void torchZip() throws IOException {
        several("model.pt", TensorSamples::zip);
    }

    /** What comes first shifts everything behind it; large tensors are found all the same. */
    @Test
    void anInsertionDoesNotShiftEverything() throws IOException {
        for (String name : new String[] {"model.pt", "model.safetensors"}) {
            Format format = name.endsWith("pt") ? TensorSamples::zip : TensorSamples::safetensors;
            long step = name.length() * 100L;
            save(step, name, format);
            var before = tensors;
            tensors = new LinkedHashMap<>(Map.of("inserted", TensorSamples.floats(12_344, 99)));
            tensors.putAll(before);
            var manifest = save(step + 1, name, format);
            assertThat(manifest.fresh()).as(name).isLessThan(manifest.bytes() / 20);
            tensors = before;
            Files.delete(directory.resolve("model").resolve(name));
        }
    }

    /** The control: as bytes of any kind, cut at fixed offsets, nothing would be found behind an insertion. */
    @Test
    void withoutKnowingTensorsItWould() throws IOException {
        Format plain = those -> {
            byte[] bytes = TensorSamples.safetensors(those);
            bytes[8] = '(';
            return bytes;
        };
        save(1, "model.bin", plain);
        var before = tensors;
        tensors = new LinkedHashMap<>(Map.of("inserted", TensorSamples.floats(12_344, 99)));
        tensors.putAll(before);
        var manifest = save(2, "model.bin", plain);
        assertThat(manifest.shared()).isZero();
        assertThat(save(3, "model.bin", plain).fresh()).as("the same again, but for its end")
                .isLessThan(manifest.bytes() / 20);
    }

    @Test
    void cutsLeaveNothingOut() throws IOException {
        byte[] bytes = TensorSamples.zip(tensors);
        var file = volsh.tensor.TensorFile.read("", TensorSamples.bytes(bytes)).orElseThrow();
        for (int longest : new int[] {1 << 16, 1 << 18, 1 << 22}) {
            var cuts = TensorCuts.of(file.tensors(), bytes.length, longest);
            long at = 0;
            for (Cut cut : cuts) {
                assertThat(cut.start()).isEqualTo(at);
                assertThat(cut.length()).isBetween(1, longest);
                at = cut.end();
            }
            assertThat(at).isEqualTo(bytes.length);
        }
    }
}
