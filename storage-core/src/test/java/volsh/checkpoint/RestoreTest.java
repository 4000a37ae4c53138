package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeDraft;
import volsh.checkpoint.CheckpointDifference.Kind;
import volsh.fs.Owner;
import volsh.tensor.TensorSamples;
import volsh.transfer.Observer;
import volsh.unit.ByteSize;
import volsh.volume.Volume;

/** Checkpoints come back: to disks, to the volume, in part; and are looked into. */
final class RestoreTest {
    @TempDir
    Path directory;

    private Volume volume;

    @BeforeEach
    void open() throws IOException {
        var volumes = CheckpointsTest.volumes(directory);
        volumes.create(VolumeDraft.named("ckpts").withBlockSize(ByteSize.of("64KiB")));
        volume = volumes.open("ckpts", Access.WRITE, "test");
    }

    @AfterEach
    void close() throws IOException {
        volume.close();
    }

    private Checkpoints checkpoints() {
        return CheckpointsTest.checkpoints(volume, InstantSource.system());
    }

    private Path many() throws IOException {
        Path model = Files.createDirectories(directory.resolve("model/sub"));
        for (int i = 0; i < 12; i++) {
            byte[] bytes = new byte[200_000];
            new SplittableRandom(i).nextBytes(bytes);
            Files.write(model.resolve("part-" + i), bytes);
        }
        Files.write(model.resolve("zeros"), new byte[3 << 20]);
        Files.setPosixFilePermissions(model.resolve("part-1"),
                java.nio.file.attribute.PosixFilePermissions.fromString("r-xr-----"));
        Files.createLink(model.resolve("same-as-2"), model.resolve("part-2"));
        return model.getParent();
    }

    private List<Path> partial() throws IOException {
        try (var names = Files.list(directory)) {
            return names.filter(path -> path.getFileName().toString().startsWith(".to-")).toList();
        }
    }

    /**
     * Somebody put links where a restore keeps what is not whole yet: they are not followed, and what they lead to
     * stays as it is.
     */
    @Test
    void linksBesideTheTargetAreNotFollowed() throws IOException {
        var saved = checkpoints().save("r1", 1, many(), Map.of(), true);
        Path victim = Files.createDirectory(directory.resolve("victim"));
        Files.createSymbolicLink(directory.resolve(".to-restoring-r0-1-1"), victim);
        var mine = directory.resolve(".to-restoring-r1-1-" + volume.paths().resolve("/r1/step-000000000001").ino());
        Files.createSymbolicLink(mine, victim);
        assertThatThrownBy(() -> checkpoints().restore(saved, directory.resolve("to"), false))
                .isInstanceOf(IOException.class);
        assertThat(victim).isEmptyDirectory();
        Files.delete(mine);
        checkpoints().restore(saved, directory.resolve("to"), false);
        assertThat(victim).isEmptyDirectory();
        assertThat(directory.resolve("to/sub/part-1")).exists();
    }

    /**
     * Parts of a large file are written as they come, and compared in their order: with holes, an odd end, and damage
     * in the last part.
     */
    @Test
    void aLargeFileComesInParts() throws IOException {
        byte[] bytes = new byte[(9 << 20) + 12_345];
        new SplittableRandom(7).nextBytes(bytes);
        Arrays.fill(bytes, 2 << 20, 6 << 20, (byte) 0);
        Path model = Files.createDirectory(directory.resolve("large"));
        Files.write(model.resolve("weights.bin"), bytes);
        var saved = checkpoints().save("r1", 1, model, Map.of(), true);
        checkpoints().restore(saved, directory.resolve("to"), false);
        assertThat(Files.mismatch(model.resolve("weights.bin"), directory.resolve("to/weights.bin"))).isEqualTo(-1);
        assertThat(checkpoints().verify(saved)).isEmpty();
        var file = volume.paths().resolve("/r1/" + Checkpoint.directory(1) + "/weights.bin");
        try (var open = volume.vfs().open(file.ino())) {
            open.write(bytes.length - 1, ByteBuffer.wrap(new byte[] {(byte) (bytes[bytes.length - 1] + 1)}));
            open.flush();
        }
        assertThat(checkpoints().verify(saved)).containsExactly("weights.bin");
        assertThatThrownBy(() -> checkpoints().restore(saved, directory.resolve("other"), false))
                .isInstanceOf(Refusal.class);
        assertThat(directory.resolve("other")).doesNotExist();
    }

    @Test
    void aRestoreGoesOnWhereItWasStopped() throws IOException {
        Path model = many();
        var saved = checkpoints().save("r1", 1, model, Map.of(), false);
        var copied = new AtomicLong();
        var stopping = new Checkpoints("ckpts", volume.vfs(), Owner.ROOT, InstantSource.system(), 1, new Observer() {
            @Override
            public void done(long files, long bytes) {
                copied.addAndGet(bytes);
            }

            @Override
            public boolean cancelled() {
                return copied.get() > 1_000_000;
            }
        });
        Path target = directory.resolve("to");
        assertThatThrownBy(() -> stopping.restore(saved, target, false)).isInstanceOf(InterruptedIOException.class);
        assertThat(target).doesNotExist();
        assertThat(partial()).hasSize(1);
        long whole;
        try (var files = Files.walk(partial().getFirst())) {
            whole = files.filter(path -> path.getFileName().toString().startsWith("part-")
                    && !path.toString().endsWith(".volsh-part")).count();
        }
        assertThat(whole).isBetween(1L, 11L);
        Path damaged = partial().getFirst().resolve("sub/part-0");
        if (Files.exists(damaged)) {
            Files.write(damaged, new byte[200_000]);      // what is there is compared, not trusted
        }
        checkpoints().restore(saved, target, false);
        for (int i = 0; i < 12; i++) {
            assertThat(Files.mismatch(model.resolve("sub/part-" + i), target.resolve("sub/part-" + i))).isEqualTo(-1);
        }
        assertThat(Files.getPosixFilePermissions(target.resolve("sub/part-1"))).hasSize(3);
        assertThat(Files.getLastModifiedTime(target.resolve("sub/part-1")))
                .isEqualTo(Files.getLastModifiedTime(model.resolve("sub/part-1")));
        assertThat(Files.isSameFile(target.resolve("sub/same-as-2"), target.resolve("sub/part-2"))).isTrue();
        assertThat(Files.mismatch(model.resolve("sub/zeros"), target.resolve("sub/zeros"))).isEqualTo(-1);
        assertThat(partial()).isEmpty();
        try (var top = Files.list(target)) {
            assertThat(top.map(path -> path.getFileName().toString())).containsExactly("sub");
        }
    }

    @Test
    void whatAnotherRestoreLeftGoes() throws IOException {
        var saved = checkpoints().save("r1", 1, many(), Map.of(), false);
        Files.createDirectories(directory.resolve(".to-restoring-r1-99-5/sub"));
        checkpoints().restore(saved, directory.resolve("to"), false);
        assertThat(partial()).isEmpty();
    }

    @Test
    void aCloneSharesBlocksAndMayChange() throws IOException {
        var saved = checkpoints().save("r1", 1, many(), Map.of(), false);
        long stored = volume.usage().storedBytes();
        checkpoints().restoreClone(saved, OptionalInt.empty(), "/resume", false);
        assertThat(volume.usage().storedBytes()).isEqualTo(stored);
        assertThat(volume.paths().resolve("/resume/sub/part-3").size()).isEqualTo(200_000);
        assertThatThrownBy(() -> volume.paths().resolve("/resume/.checkpoint.json")).isInstanceOf(IOException.class);
        try (var file = volume.vfs().open(volume.paths().resolve("/resume/sub/part-3").ino())) {
            file.write(5, ByteBuffer.wrap(new byte[100]));
        }
        assertThat(checkpoints().verify(saved)).as("the checkpoint is another file").isEmpty();
        assertThatThrownBy(() -> checkpoints().restoreClone(saved, OptionalInt.empty(), "/resume", false))
                .isInstanceOf(Refusal.class).hasMessageContaining("is not empty");
        checkpoints().restoreClone(saved, OptionalInt.empty(), "/resume", true);
        var again = ByteBuffer.allocate(200_000);
        try (var file = volume.vfs().open(volume.paths().resolve("/resume/sub/part-3").ino())) {
            file.read(0, again);
        }
        assertThat(again.array()).isEqualTo(Files.readAllBytes(directory.resolve("model/sub/part-3")));
        assertThatThrownBy(() -> checkpoints().restoreClone(saved, OptionalInt.empty(), "/", true))
                .isInstanceOf(Refusal.class).hasMessageContaining("cannot be replaced");
    }

    @Test
    void oneShardComesAlone() throws IOException {
        Path shard = ShardedTest.shard(directory, 0, 3);
        var saved = checkpoints().saveShard(new SaveRequest("r1", 3, shard), 0, 1, Duration.ofMinutes(1));
        checkpoints().restore(saved, OptionalInt.of(0), directory.resolve("to"), false);
        assertThat(Files.mismatch(shard.resolve("model.bin"), directory.resolve("to/model.bin"))).isEqualTo(-1);
        assertThat(directory.resolve("to/.checkpoint.json")).doesNotExist();
        assertThatThrownBy(() -> checkpoints().restore(saved, OptionalInt.of(1), directory.resolve("two"), false))
                .isInstanceOf(Refusal.class).hasMessageContaining("no shard of rank 1");
    }

    @Test
    void brokenFilesAndNumbersThatAreNoneAreFound() throws IOException {
        var tensors = new LinkedHashMap<String, byte[]>();
        byte[] odd = TensorSamples.floats(3_000_000, 1);
        var numbers = ByteBuffer.wrap(odd).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 1000; i++) {
            numbers.putFloat(4 * 701 * i, i % 4 == 0 ? Float.POSITIVE_INFINITY : Float.NaN);
        }
        tensors.put("odd", odd);
        tensors.put("good", TensorSamples.floats(5000, 2));
        Path model = Files.createDirectory(directory.resolve("model"));
        byte[] whole = TensorSamples.safetensors(tensors);
        Files.write(model.resolve("a.safetensors"), whole);
        byte[] zip = TensorSamples.zip(tensors);
        Files.write(model.resolve("b.pt"), zip);
        byte[] four = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putFloat(1).putFloat(Float.NaN).putFloat(2)
                .putFloat(Float.NEGATIVE_INFINITY).array();
        Files.write(model.resolve("c.pt"), TensorSamples.zip(Base64.getDecoder().decode(TensorSamples.PICKLE_2),
                Map.of("0", four)));
        var found = checkpoints().inspect(checkpoints().save("r1", 1, model, Map.of(), false));
        assertThat(found).isEqualTo(new Verification(List.of(), 0, 2 + 2 + 1, 751, 251,
                List.of("a.safetensors: odd", "c.pt: model.w, model.again")));
        Files.write(model.resolve("a.safetensors"), Arrays.copyOf(whole, whole.length - 10));
        Files.write(model.resolve("b.pt"), Arrays.copyOf(zip, zip.length / 2));
        assertThat(checkpoints().inspect(checkpoints().save("r1", 2, model, Map.of(), false)).wrong()).hasSize(2)
                .anyMatch(line -> line.startsWith("a.safetensors (truncated: tensor 'good'"))
                .anyMatch(line -> line.startsWith("b.pt (truncated archive"));
    }

    /**
     * Tensors of torch are called as torch calls them, also if one that comes before them gives each another number.
     */
    @Test
    void differencesOfTorchNameTensors() throws IOException {
        Path model = Files.createDirectory(directory.resolve("model"));
        byte[] pickle = Base64.getDecoder().decode(TensorSamples.PICKLE_2);
        Files.write(model.resolve("m.pt"), TensorSamples.zip(pickle, Map.of("0", new byte[16], "2", new byte[24])));
        var before = checkpoints().save("r1", 1, model, Map.of(), false);
        byte[] changed = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putFloat(4, 2.5f).array();
        Files.write(model.resolve("m.pt"), TensorSamples.zip(pickle, Map.of("0", changed, "2", new byte[24])));
        var after = checkpoints().save("r1", 2, model, Map.of(), false);
        assertThat(checkpoints().diff(before, after)).filteredOn(one ->
                one.kind() == Kind.CHANGED && !one.tensor().isEmpty()).singleElement().satisfies(one -> {
            assertThat(one.tensor()).isEqualTo("model.w, model.again");
            assertThat(one.largest()).isEqualTo(2.5);
        });
    }

    @Test
    void differencesAreOfTensors() throws IOException {
        var tensors = new LinkedHashMap<String, byte[]>();
        tensors.put("same", TensorSamples.floats(2_500_000, 1));
        tensors.put("nudged", TensorSamples.floats(100_000, 2));
        var nudged = ByteBuffer.wrap(tensors.get("nudged")).order(ByteOrder.LITTLE_ENDIAN);
        nudged.putFloat(40, Float.NaN);
        tensors.put("gone", TensorSamples.floats(400, 3));
        Path model = Files.createDirectory(directory.resolve("model"));
        Files.write(model.resolve("m.safetensors"), TensorSamples.safetensors(tensors));
        Files.writeString(model.resolve("config.json"), "{}");
        Files.writeString(model.resolve("old.txt"), "x");
        var before = checkpoints().save("r1", 1, model, Map.of(), false);
        tensors.remove("gone");
        nudged.putFloat(400, nudged.getFloat(400) + 2f);
        tensors.put("added", TensorSamples.floats(800, 4));
        Files.write(model.resolve("m.safetensors"), TensorSamples.safetensors(tensors));
        Files.delete(model.resolve("old.txt"));
        Files.writeString(model.resolve("new.txt"), "yy");
        var after = checkpoints().save("r1", 2, model, Map.of(), false);
        var differences = checkpoints().diff(before, after);
        assertThat(differences).extracting(one -> one.path() + ":" + one.tensor() + ":" + one.kind()).containsExactly(
                "config.json::SAME", "m.safetensors::CHANGED", "m.safetensors:gone:REMOVED", "m.safetensors:same:SAME",
                "m.safetensors:nudged:CHANGED", "m.safetensors:added:ADDED", "new.txt::ADDED", "old.txt::REMOVED");
        var changed = differences.get(4);
        assertThat(changed.changed()).isBetween(1L, 4L);
        assertThat(changed.largest()).isBetween(1.9, 2.1);
        assertThat(checkpoints().diff(before, before)).allMatch(one -> one.kind() == Kind.SAME);
        nudged.putFloat(800, Float.NaN);
        Files.write(model.resolve("m.safetensors"), TensorSamples.safetensors(tensors));
        assertThat(checkpoints().diff(after, checkpoints().save("r1", 3, model, Map.of(), false)))
                .filteredOn(one -> one.tensor().equals("nudged"))
                .singleElement().satisfies(one -> assertThat(one.largest()).as("a number became none").isInfinite());
        assertThat(checkpoints().find("r1", OptionalLong.of(2)).manifest().orElseThrow().parent()).hasValue(1);
    }
}
