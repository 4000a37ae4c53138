package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.StoreLayout;
import volsh.catalog.VolumeDraft;
import volsh.fs.Owner;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.upkeep.Watcher;
import volsh.writeback.Writeback;

/**
 * Small blocks on several stores. Those of a journal are placed by their layout, each by itself; those that were packed
 * while the volume had one store come out of their packs when they are moved. Either way they survive what the layout
 * survives.
 */
@Tag("volume")
final class PlacedPacksTest {
    private static final int STORES = 3;
    private static final int FILES = 12;

    @TempDir
    Path directory;
    private Volumes volumes;

    @BeforeEach
    void stores() throws IOException {
        volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
        for (int i = 1; i <= STORES; i++) {
            volumes.stores().add("s" + i, StoreUrl.of("file://" + directory.resolve("s" + i)));
        }
    }

    private static VolumeDraft draft() {
        return VolumeDraft.named("v").withBlockSize(ByteSize.of("64KiB")).withInline(ByteSize.of("0"))
                .shippingMetadata(false);
    }

    /** Through a journal, as a mount with --writeback does. */
    private void write() throws IOException {
        try (var volume = volumes.open(OpeningRequest.of("v", Access.WRITE, "test")
                .lasting(Optional.of(Writeback.USUAL)))) {
            for (int i = 0; i < FILES; i++) {
                Machine.write(volume, "f" + i, Machine.bytes(i, length(i)));
            }
        }
    }

    private static int length(int file) {
        return 500 + file * 4000;
    }

    private void requireAll() throws IOException {
        try (var volume = volumes.open("v", Access.READ, "test")) {
            for (int i = 0; i < FILES; i++) {
                assertThat(Machine.read(volume, "f" + i)).as("f" + i).isEqualTo(Machine.bytes(i, length(i)));
            }
        }
    }

    private void requireAllWithoutAnyStore() throws IOException {
        for (int lost = 1; lost <= STORES; lost++) {
            lose(lost);
            requireAll();
            bringBack(lost);
        }
    }

    private void lose(int store) throws IOException {
        Files.move(directory.resolve("s" + store), directory.resolve("lost"));
    }

    private void bringBack(int store) throws IOException {
        Files.move(directory.resolve("lost"), directory.resolve("s" + store));
    }

    private List<Path> packs() throws IOException {
        var found = new ArrayList<Path>();
        for (int i = 1; i <= STORES; i++) {
            if (Files.exists(directory.resolve("s" + i))) {
                try (var files = Files.walk(directory.resolve("s" + i))) {
                    files.filter(file -> file.toString().contains("/packs/") && Files.isRegularFile(file))
                            .forEach(found::add);
                }
            }
        }
        return found;
    }

    private interface Work {
        long run(Volume volume, BlockCare care) throws IOException;
    }

    private long care(Work work) throws IOException {
        try (var volume = volumes.open("v", Access.WRITE, "test");
                var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            return work.run(volume, care);
        }
    }

    @Test
    void whatComesOutOfAJournalSurvivesTheLossOfAStore() throws IOException {
        for (var policy : List.of("mirror:2", "ec:2+1")) {
            volumes.create(draft().withSpread(StoreLayout.of(List.of("s1", "s2", "s3"), LayoutPolicy.of(policy))));
            write();
            assertThat(packs()).isEmpty();
            requireAllWithoutAnyStore();
            volumes.destroy("v", false);
        }
    }

    /** Packed while there was one store, which is all they have; then moved, by all there is to move them. */
    @Test
    void whatWasPackedIsMovedToWhereTheLayoutWantsIt() throws IOException {
        Map<String, Work> ways = Map.of(
                "mirror:2", (_, care) -> care.rebalance(),
                "ec:2+1", (volume, care) -> {
                    long moved = 0;
                    for (int i = 0; i < FILES; i++) {
                        moved += care.migrate(volume.paths().resolve("/f" + i).ino());
                    }
                    return moved;
                });
        for (var way : ways.entrySet()) {
            volumes.create(draft().withStore("s1"));
            write();
            assertThat(packs()).as("there is something to move").isNotEmpty();
            volumes.spreading().add("v", List.of("s2", "s3"));
            volumes.spreading().setPolicy("v", LayoutPolicy.of(way.getKey()));
            requireAll();
            assertThat(volumes.spreading().redundancy("v").toString())
                    .contains("some blocks have a layout that survives less");
            lose(1);
            assertThatThrownBy(this::requireAll).as("the control: they are in one store")
                    .isInstanceOf(IOException.class);
            bringBack(1);
            assertThat(care(way.getValue())).isEqualTo(FILES);
            assertThat(packs()).as("a pack goes with its last block").isEmpty();
            assertThat(volumes.spreading().redundancy("v").toString())
                    .contains("redundancy is whole, any 1 may be lost");
            requireAllWithoutAnyStore();
            assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).isClean()).isTrue();
            assertThat(care(way.getValue())).as("all are there").isZero();
            volumes.destroy("v", false);
        }
    }

    /** A reader who has looked a block up in its pack finds it where it has gone to meanwhile. */
    @Test
    void whoReadsMeanwhileFindsThem() throws IOException {
        volumes.create(draft().withStore("s1"));
        write();
        volumes.spreading().add("v", List.of("s2", "s3"));
        volumes.spreading().setPolicy("v", LayoutPolicy.of("mirror:2"));
        try (var reader = volumes.open("v", Access.READ, "reader")) {
            assertThat(Machine.read(reader, "f3")).isEqualTo(Machine.bytes(3, length(3)));
            assertThat(care((_, care) -> care.rebalance())).isEqualTo(FILES);
            for (int i = 0; i < FILES; i++) {
                assertThat(Machine.read(reader, "f" + i)).isEqualTo(Machine.bytes(i, length(i)));
            }
        }
    }

    /** What scrub and heal say of blocks in packs is true. */
    @Test
    void packsAreLookedAtToo() throws IOException {
        volumes.create(draft().withStore("s1"));
        write();
        volumes.spreading().add("v", List.of("s2", "s3"));
        volumes.spreading().setPolicy("v", LayoutPolicy.of("mirror:2"));
        care((_, care) -> {
            var report = care.scrub(true, false);
            assertThat(report.blocks()).isEqualTo(FILES);
            assertThat(report.isClean()).isTrue();
            assertThat(care.heal(Set.of()).isClean()).isTrue();
            return 0;
        });
        assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
        for (var pack : packs()) {
            byte[] bytes = Files.readAllBytes(pack);
            bytes[100] ^= 1;   // of the first block in it
            Files.write(pack, bytes);
        }
        assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).isClean()).isFalse();
        care((_, care) -> {
            var report = care.scrub(true, true);
            assertThat(report.lost()).hasSize(1).first().asString().startsWith("v:/f");
            assertThat(report.isClean()).isFalse();
            assertThatThrownBy(care::rebalance).hasMessageContaining("damaged");
            return 0;
        });
    }

    /**
     * The blocks wait in the journal of a process that lives, then of one that has gone: a check misses nothing, unless
     * the journal is lost.
     */
    @Test
    void aCheckKnowsOfBlocksThatWaitInAJournal() throws IOException {
        volumes.create(draft().withSpread(StoreLayout.of(List.of("s1", "s2", "s3"), LayoutPolicy.of("ec:2+1"))));
        var journals = directory.resolve("journals");
        var waits = new Writeback(Optional.of(journals), Writeback.LIMIT, Duration.ofHours(1), Duration.ZERO);
        try (var volume = volumes.open(OpeningRequest.of("v", Access.WRITE, "test").lasting(Optional.of(waits)))) {
            for (int i = 0; i < FILES; i++) {
                Machine.write(volume, "f" + i, Machine.bytes(i, length(i)));
            }
            assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
        }
        assertThat(volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE).problems()).isEmpty();
        requireAll();
        Files.move(journals, directory.resolve("elsewhere"));
        var report = volumes.upkeep().check("v", true, Optional.empty(), Watcher.NONE);
        assertThat(report.isClean()).as("the control").isFalse();
        assertThat(report.problems().toString()).contains("/f3");
    }
}
