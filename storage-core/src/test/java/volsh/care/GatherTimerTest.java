package volsh.care;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import volsh.assembly.BackgroundTasks;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.MetaEngine;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.meta.MetadataAudit;
import volsh.vfs.ManualClock;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/** Small files are stored together when many wait, or when no more come, and no sooner. */
@Tag("volume")
final class GatherTimerTest {
    private final ManualClock clock = new ManualClock();
    private final MetaEngine engine = new MemoryMetaEngine();
    private final MemoryBlockStore store = new MemoryBlockStore(clock);
    private int count;

    @AfterEach
    void rowsAgree() throws IOException {
        assertThat(MetadataAudit.of(engine).with(store).problems()).isEmpty();
    }

    private TestVolume mount() throws IOException {
        return TestVolume.open(engine, store, new ChunkSettings(4 << 20, 100, 16 << 20), Runnable::run, clock);
    }

    private static GatherTimer timer(TestVolume of) {
        return new GatherTimer(of.vfs().packing(), new BackgroundTasks("data", new ManualClock()));
    }

    private void write(TestVolume volume, int size, int files) throws IOException {
        for (int i = 0; i < files; i++) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("f" + count++), 0644, Owner.ROOT)) {
                file.write(0, ByteBuffer.allocate(size));
            }
        }
    }

    private static long waiting(TestVolume volume) {
        return volume.vfs().packing().gathered().bytes();
    }

    @Test
    void itWaitsForMoreAsLongAsTheyCome() throws IOException {
        try (var volume = mount(); var timer = timer(volume)) {
            timer.turn();
            for (int i = 0; i < 3 * GatherTimer.QUIET; i++) {
                write(volume, 1000, 1);
                timer.turn();
            }
            assertThat(volume.blocks()).isZero();
            for (int i = 1; i < GatherTimer.QUIET; i++) {
                timer.turn();
            }
            assertThat(volume.blocks()).isZero();
            timer.turn();
            assertThat(volume.blocks()).isEqualTo(1);
            assertThat(waiting(volume)).isZero();
        }
    }

    @Test
    void aFewFilesWait() throws IOException {
        try (var volume = mount(); var timer = timer(volume)) {
            timer.turn();
            write(volume, 1000, GatherTimer.FILES_MIN - 1);
            for (int i = 0; i < 3 * GatherTimer.QUIET; i++) {
                timer.turn();
            }
            assertThat(volume.blocks()).isZero();
            write(volume, 1000, 1);
            for (int i = 0; i <= GatherTimer.QUIET; i++) {
                timer.turn();
            }
            assertThat(volume.blocks()).isEqualTo(1);
        }
    }

    @Test
    void muchIsStoredAtOnceUntilItIsLess() throws IOException {
        int files = (int) (GatherTimer.MUCH / GatherTimer.LARGEST);
        try (var volume = mount(); var timer = timer(volume)) {
            timer.turn();
            write(volume, GatherTimer.LARGEST, files - 1);
            timer.turn();
            assertThat(volume.blocks()).isZero();
            write(volume, GatherTimer.LARGEST, 1);
            timer.turn();
            assertThat(volume.blocks()).isEqualTo(1);
            assertThat(waiting(volume)).isLessThan(GatherTimer.MUCH).isPositive();
        }
    }

    @Test
    void moreThanTheMostIsStoredOneByOne() throws IOException {
        int files = (int) (GatherTimer.MOST / GatherTimer.LARGEST);
        try (var volume = mount(); var timer = timer(volume)) {
            timer.turn();
            write(volume, GatherTimer.LARGEST, files);
            assertThat(volume.blocks()).isZero();
            write(volume, 1000, 3);
            assertThat(volume.blocks()).isEqualTo(3);
            assertThat(waiting(volume)).isEqualTo(GatherTimer.MOST);
        }
    }

    @Test
    void afterItIsClosedFilesAreStoredOneByOne() throws IOException {
        try (var volume = mount()) {
            var timer = timer(volume);
            timer.start();
            write(volume, 1000, 1);
            assertThat(volume.blocks()).isZero();
            timer.close();
            write(volume, 1000, 1);
            assertThat(volume.blocks()).isEqualTo(1);
        }
    }
}
