package volsh.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Runs of many steps, and checkpoints of many files. */
final class CheckpointScaleTest {
    private static final int STEPS = Boolean.getBoolean("volsh.long") ? 10_000 : 520;
    private static final int FILES = Boolean.getBoolean("volsh.long") ? 100_000 : 600;
    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path directory;

    private static TestVolume open() throws Exception {
        return TestVolume.open(new MemoryMetaEngine(), new MemoryBlockStore(),
                new ChunkSettings(64 << 10, 4096, 1 << 20), Runnable::run, InstantSource.system());
    }

    private static Checkpoints checkpoints(TestVolume volume) {
        return new Checkpoints("v", volume.vfs(), Owner.ROOT, InstantSource.system(), 2, Observer.NONE);
    }

    @Test
    void aRunOfManyStepsIsThinnedOut() throws Exception {
        try (var volume = open()) {
            long run = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("r"), 0755, Owner.ROOT).ino();
            for (int i = 0; i < STEPS; i++) {
                long step = volume.vfs().makeDirectory(run, Name.of(Checkpoint.directory(i)), 0755, Owner.ROOT).ino();
                var manifest = new Manifest("r", i, FIRST.plus(Duration.ofMinutes(i)), Map.of("loss", 1.0 / (i + 1)),
                        List.of());
                try (var file = volume.vfs().create(step, Name.of(Manifest.NAME), 0644, Owner.ROOT)) {
                    file.write(0, ByteBuffer.wrap(manifest.toBytes()));
                }
            }
            var checkpoints = checkpoints(volume);
            var all = checkpoints.list(Optional.of("r"));
            assertThat(all).hasSize(STEPS).allMatch(Checkpoint::valid);
            assertThat(checkpoints.find("r", OptionalLong.empty()).step()).isEqualTo(STEPS - 1);
            var spare = Retention.of("last=10").spare(all);
            assertThat(spare).hasSize(STEPS - 10);
            for (var each : spare) {
                checkpoints.destroy(each);
            }
            assertThat(checkpoints.list(Optional.of("r"))).hasSize(10);
        }
    }

    @Test
    void aCheckpointOfManyFilesIsSavedVerifiedAndRestored() throws Exception {
        var source = Files.createDirectory(directory.resolve("model"));
        for (int i = 0; i < FILES; i++) {
            Files.write(source.resolve("f" + i), new byte[] {(byte) i, (byte) (i >> 8)});
        }
        try (var volume = open()) {
            var checkpoints = checkpoints(volume);
            var saved = checkpoints.save("r", 1, source, Map.of(), true);
            assertThat(saved.manifest().orElseThrow().files()).hasSize(FILES);
            assertThat(checkpoints.verify(saved)).isEmpty();
            checkpoints.restore(saved, directory.resolve("out"), false);
            assertThat(directory.resolve("out").resolve("f" + (FILES - 1)))
                    .hasSameBinaryContentAs(source.resolve("f" + (FILES - 1)));
            try (var out = Files.list(directory.resolve("out"))) {
                assertThat(out.filter(path -> path.getFileName().toString().startsWith("f")).count()).isEqualTo(FILES);
            }
        }
    }
}
