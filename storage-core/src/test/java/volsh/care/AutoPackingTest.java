package volsh.care;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.assembly.BackgroundTasks;
import volsh.block.Pause;
import volsh.block.memory.MemoryBlockStore;
import volsh.catalog.CompactMode;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.PackingQueue;
import volsh.inventory.Superblock;
import volsh.meta.EngineKind;
import volsh.meta.MetadataAudit;
import volsh.meta.OnEveryEngine;
import volsh.vfs.ManualClock;
import volsh.vfs.PackingListener;
import volsh.vfs.PackingReport;
import volsh.vfs.PackingRules;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Mounts store small files together: when it is quiet, one mount at a time, and not at all where it is not wanted. */
@OnEveryEngine
@Tag("volume")
final class AutoPackingTest {
    private static final ChunkSettings SETTINGS = new ChunkSettings(64 << 10, 100, 1 << 20);
    private static final int FILES = AutoPacking.FILES_MIN;

    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine;
    private final MemoryBlockStore store = new MemoryBlockStore(clock);
    private long traffic;
    private int slept;

    AutoPackingTest(EngineKind kind) throws IOException {
        engine = kind.open();
    }

    /** Time as it passes; pauses are not waited for. */
    private final Pause pause = new Pause() {
        @Override
        public void sleep(Duration time) {
            slept++;
            traffic -= traffic > 0 ? 1 : 0;   // others ask the store a few times more, then no longer
        }

        @Override
        public long nanoTime() {
            return clock.instant().toEpochMilli() * 1_000_000L;
        }
    };

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
    }

    private TestVolume mount() throws IOException {
        return TestVolume.open(engine, store, SETTINGS, Runnable::run, clock);
    }

    private AutoPacking packing(TestVolume of) {
        var files = new AutoPacking.PackedFiles() {
            @Override
            public Map<Long, Integer> directories(List<Long> inos) throws IOException {
                return of.vfs().packing().directories(inos);
            }

            @Override
            public PackingReport pack(long directory, PackingListener listener) throws IOException {
                return of.vfs().packing().pack(directory, false, PackingRules.GENTLE, listener);
            }
        };
        var packing = new AutoPacking("data", engine, files, clock, pause, of.session()::id, () -> traffic,
                new BackgroundTasks("data", clock));
        of.vfs().packing().onSmall(packing::written);
        return packing;
    }

    private static void write(TestVolume volume, String prefix, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of(prefix + i), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.allocate(500).putInt(i).clear());
            }
        }
    }

    private long blocks(TestVolume volume) throws IOException {
        clock.advance(Duration.ofSeconds(5));
        volume.reclaim();
        return volume.blocks();
    }

    private void calm(AutoPacking packing) throws IOException {
        clock.advance(Duration.ofSeconds(11));
        packing.turn();
    }

    @Test
    void packsWhenItIsQuietAndLetsOthersGoFirst() throws IOException {
        try (var volume = mount(); var packing = packing(volume)) {
            write(volume, "f", FILES);
            packing.turn();
            assertThat(blocks(volume)).isEqualTo(FILES);
            traffic = 7;
            calm(packing);
            assertThat(traffic).isZero();
            assertThat(slept).isGreaterThan(7);
            assertThat(blocks(volume)).isEqualTo(1);
            assertThat(new PackingQueue(engine, clock, volume.session().id()).waiting()).isEmpty();
        }
    }

    @Test
    void fewFilesAreNotWorthIt() throws IOException {
        try (var volume = mount(); var packing = packing(volume)) {
            write(volume, "f", FILES - 1);
            calm(packing);
            assertThat(blocks(volume)).isEqualTo(FILES - 1);
            write(volume, "g", 1);
            calm(packing);
            assertThat(blocks(volume)).isEqualTo(1);
        }
    }

    @Test
    void theNextMountGoesOnWhereOneEnded() throws IOException {
        try (var volume = mount()) {
            var packing = packing(volume);
            write(volume, "f", FILES);
            packing.close();   // before it is quiet
            assertThat(blocks(volume)).isEqualTo(FILES);
        }
        try (var volume = mount(); var packing = packing(volume)) {
            calm(packing);
            assertThat(blocks(volume)).isEqualTo(1);
        }
    }

    @Test
    void oneMountAtATimeAndADeadOneBlocksNobody() throws IOException {
        var volume = mount();
        var packing = packing(volume);
        write(volume, "f", FILES);
        packing.close();
        var other = mount();
        var queue = new PackingQueue(engine, clock, other.session().id());
        assertThat(queue.begin()).isPresent();
        try (var late = packing(volume)) {
            calm(late);
            assertThat(blocks(volume)).isEqualTo(FILES);
            other.superblock().sessions().end(other.session().id());
            calm(late);
            assertThat(blocks(volume)).isEqualTo(1);
        }
        volume.close();
    }

    @Test
    void manualIsManual() throws IOException {
        try (var volume = mount(); var packing = packing(volume)) {
            new Superblock(engine, clock).set(CompactMode.SETTING, CompactMode.MANUAL.toBytes());
            write(volume, "f", FILES);
            calm(packing);
            assertThat(blocks(volume)).isEqualTo(FILES);
            new Superblock(engine, clock).set(CompactMode.SETTING, CompactMode.AUTO.toBytes());
            calm(packing);
            assertThat(blocks(volume)).isEqualTo(1);
        }
    }
}
