package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.BlockKey;
import volsh.block.memory.MemoryBlockStore;
import volsh.care.Garbage;
import volsh.care.GarbageCollection;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.GcTurns;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Objects that nothing knows are found among many and deleted, however many they are. */
@Tag("volume")
final class GcScaleTest {
    private static final int BLOCK = 4096;
    private static final int OBJECTS = Boolean.getBoolean("volsh.long") ? 100_000 : 450;

    @Test
    void strayObjectsGoAndTheOthersStay(@TempDir Path directory) throws Exception {
        try (var engine = SqliteMetaEngine.create(directory.resolve("meta.db"))) {
            strayObjectsGo(engine);
        }
    }

    private static void strayObjectsGo(MetaEngine engine) throws IOException {
        var store = new MemoryBlockStore();
        var clock = new ManualClock();
        var settings = new ChunkSettings(BLOCK, 0, 1 << 20);
        try (var volume = TestVolume.open(engine, store, settings, Runnable::run, clock)) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f"), 0644, Owner.ROOT)) {
                for (int i = 0; i < OBJECTS; i++) {
                    file.write((long) i * BLOCK, ByteBuffer.wrap(new byte[] {1}));
                }
            }
            for (int i = 0; i < OBJECTS; i++) {   // uploads of a process that was killed before it committed
                store.put(BlockKey.of(volume.names().files().newBlock()), ByteBuffer.wrap(new byte[] {1}));
            }
        }
        try (var volume = TestVolume.open(engine, store, settings, Runnable::run, clock)) {
            var age = Duration.ofDays(-100_000);   // of any age
            assertThat(GarbageCollection.count(engine, store, Optional.empty(), clock, age, Garbage.Watcher.NONE)
                    .objects()).isEqualTo(OBJECTS);
            var gone = new GarbageCollection(engine, store, Optional.empty(), clock)
                    .runBeside(volume.session().id(), new GcTurns.Turn(true, true), age, Garbage.Watcher.NONE);
            assertThat(gone.objects()).isEqualTo(OBJECTS);
            assertThat(volume.blocks()).isEqualTo(OBJECTS);
            assertThat(volume.audit()).isEmpty();
        }
    }
}
