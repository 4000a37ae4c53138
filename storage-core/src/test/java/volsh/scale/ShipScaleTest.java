package volsh.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.block.memory.MemoryBlockStore;
import volsh.inventory.JournalRow;
import volsh.inventory.Journals;
import volsh.inventory.Superblock;
import volsh.meta.Namespace;
import volsh.ship.Identity;
import volsh.ship.RecordingEngine;
import volsh.ship.Restore;
import volsh.ship.Shipping;
import volsh.ship.ShippingTurn;
import volsh.upkeep.Statistics;
import volsh.upkeep.Watcher;
import volsh.vfs.TestVolume;

/** Metadata is shipped and restored, however many rows there are and however many changes wait. */
final class ShipScaleTest {
    private static final int CHANGES = Scale.MANY / 4;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void aBaseAndALogOfManyRows(String kind) throws Exception {
        var store = new MemoryBlockStore();
        try (var volume = Scale.on(kind, directory)) {
            volume.smallFiles(Namespace.ROOT, "f", Scale.MANY);
            volume.superblock.sessions().end(volume.session());
            var shipping = new Shipping(new Identity(TestVolume.ID, "here", "made"), volume.engine, store, volume.clock,
                    ShippingTurn.FREE);
            shipping.switchOn();
            var recording = new RecordingEngine(volume.engine, volume.clock);
            for (int i = 0; i < CHANGES; i++) {
                new Journals(recording)
                        .put(JournalRow.opened(new UUID(i, i), "host", "/journal", volume.clock.instant()));
            }
            assertThat(shipping.unshipped()).isEqualTo(CHANGES);
            shipping.ship();
            assertThat(shipping.unshipped()).isZero();
            try (var other = Scale.blank(kind, directory.resolve("other"))) {
                var restore = new Restore(store, TestVolume.ID, other.engine, bytes -> {});
                restore.run();
                restore.takeOver(new Identity(TestVolume.ID, "there", "made"), new byte[] {1}, volume.clock);
                assertThat(new Journals(other.engine).list()).hasSize(CHANGES);
                assertThat(new Statistics(other.engine).run(Watcher.NONE).files()).isEqualTo(Scale.MANY);
                assertThat(other.problems()).isEmpty();
            }
        }
    }

    /** Whoever wants a volume alone is told who has it open, by however many. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgres"})
    void switchedOnWhileManyHaveItOpen(String kind) throws Exception {
        try (var volume = Scale.on(kind, directory)) {
            volume.times(1_100,
                    engine -> i -> new Superblock(engine, volume.clock).sessions().open("host", i, "writes"));
            var shipping = new Shipping(new Identity(TestVolume.ID, "here", "made"), volume.engine,
                    new MemoryBlockStore(), volume.clock, ShippingTurn.FREE);
            assertThatThrownBy(shipping::switchOn).hasMessageContaining("the volume is in use: test");
        }
    }
}
