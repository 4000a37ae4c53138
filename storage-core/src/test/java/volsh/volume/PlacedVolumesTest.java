package volsh.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.Bandwidth;
import volsh.block.Pause;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.Refusal;
import volsh.catalog.StoreLayout;
import volsh.catalog.StoreProbe;
import volsh.catalog.VolumeDraft;
import volsh.catalog.VolumeSpec;
import volsh.codec.Compression;
import volsh.fs.BlockRow;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.inventory.Row;
import volsh.meta.Sessions;
import volsh.place.Chaos;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.unit.Rate;
import volsh.vfs.Vfs;
import volsh.writeback.Writeback;

/** Volumes over several stores, from end to end: what is written is read, whatever a layout says may be lost. */
@Tag("volume")
final class PlacedVolumesTest {
    private static final long SEED = Long.getLong("volsh.seed", 5);

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private Volumes volumes;

    @BeforeEach
    void home() {
        volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", directory.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
    }

    private VolumeSpec create(int stores, String policy) throws IOException {
        var names = new ArrayList<String>();
        for (int i = 1; i <= stores; i++) {
            names.add("s" + i);
            volumes.stores().add("s" + i, StoreUrl.of("file://" + directory.resolve("s" + i)));
        }
        return volumes.create(VolumeDraft.named("v").withBlockSize(ByteSize.of("256KiB"))
                .withCompression(new Compression.None())
                .withSpread(StoreLayout.of(names, LayoutPolicy.of(policy))));
    }

    private Volume open(Access access) throws IOException {
        return volumes.open("v", access, "test");
    }

    private byte[] write(Volume volume, long parent, String name, int length) throws IOException {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        try (var file = volume.vfs().create(parent, Name.of(name), 0644, Owner.ROOT)) {
            file.write(0, ByteBuffer.wrap(bytes));
            file.flush();
        }
        return bytes;
    }

    private static byte[] read(Volume volume, String path) throws IOException {
        try (var file = volume.vfs().open(volume.paths().resolve(path).ino())) {
            var target = ByteBuffer.allocateDirect((int) volume.paths().resolve(path).size());
            while (target.hasRemaining() && file.read(target.position(), target) > 0) {
                // until all is there
            }
            byte[] bytes = new byte[target.position()];
            target.flip().get(bytes);
            return bytes;
        }
    }

    private List<Path> objects(int store) throws IOException {
        var place = directory.resolve("s" + store);
        if (!Files.exists(place)) {
            return List.of();
        }
        try (var all = Files.walk(place)) {
            return all.filter(path -> path.toString().contains("/blocks/") && Files.isRegularFile(path)).sorted()
                    .toList();
        }
    }

    private void wipe(int store) throws IOException {
        var place = directory.resolve("s" + store);
        try (var all = Files.walk(place)) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        Files.createDirectory(place);   // an empty disk in its place
    }

    private BlockCare.Report care(CareWork work) throws IOException {
        try (var volume = open(Access.WRITE); var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            return work.run(care);
        }
    }

    private interface CareWork {
        BlockCare.Report run(BlockCare care) throws IOException;
    }

    @Test
    void stripedAndDestroyed() throws IOException {
        create(4, "stripe:all");
        byte[] bytes;
        try (var volume = open(Access.WRITE)) {
            bytes = write(volume, Vfs.ROOT, "f", 2_000_000);
        }
        try (var volume = open(Access.READ)) {
            assertThat(read(volume, "/f")).isEqualTo(bytes);
        }
        for (int i = 1; i <= 4; i++) {
            assertThat(objects(i)).as("store %d", i).hasSize(2);
        }
        assertThatThrownBy(() -> volumes.stores().remove("s3")).hasMessageContaining("used by volume 'v'");
        volumes.destroy("v", false);
        for (int i = 1; i <= 4; i++) {
            try (var left = Files.walk(directory.resolve("s" + i))) {
                assertThat(left.filter(Files::isRegularFile)).isEmpty();
            }
        }
    }

    @Test
    void tenPlusFourSurvivesAnyFourAndCostsTwoFifths() throws IOException {
        create(14, "ec:10+4");
        byte[] bytes;
        try (var volume = open(Access.WRITE)) {
            bytes = write(volume, Vfs.ROOT, "f", 4_000_000);
        }
        long stored = 0;
        for (int i = 1; i <= 14; i++) {
            for (var object : objects(i)) {
                stored += Files.size(object);
            }
        }
        assertThat(stored / (double) bytes.length).isBetween(1.40 * 0.98, 1.40 * 1.02);
        var stores = new ArrayList<>(IntStream.rangeClosed(1, 14).boxed().toList());
        Collections.shuffle(stores, random);
        for (int lost : stores.subList(0, 4)) {
            wipe(lost);
        }
        try (var volume = open(Access.READ)) {
            assertThat(read(volume, "/f")).isEqualTo(bytes);
        }
        wipe(stores.get(4));
        try (var volume = open(Access.READ)) {
            assertThatThrownBy(() -> read(volume, "/f")).hasMessageContaining("5 of its 14 shards");
        }
        assertThat(care(care -> care.scrub(false, false)).lost()).containsExactly("v:/f");
    }

    @Test
    void aWipedStoreIsFilledAgain() throws IOException {
        for (var policy : List.of("mirror:2", "ec:4+2")) {
            create(6, policy);
            byte[] bytes;
            try (var volume = open(Access.WRITE)) {
                bytes = write(volume, Vfs.ROOT, "f", 1_500_000);
                write(volume, Vfs.ROOT, "small", 9_000);
            }
            int there = objects(2).size();
            wipe(2);
            assertThat(volumes.spreading().redundancy("v").isWhole()).isFalse();
            assertThat(care(care -> care.heal(Set.of())).repaired()).as("it may be a place without its disk").isZero();
            assertThat(objects(2)).isEmpty();
            var healed = care(care -> care.heal(Set.of("s2")));
            assertThat(healed.repaired()).isEqualTo(there).isPositive();
            assertThat(care(care -> care.scrub(true, false)).isClean()).isTrue();
            assertThat(volumes.spreading().redundancy("v").toString()).contains("redundancy is whole");
            try (var volume = open(Access.READ)) {
                assertThat(read(volume, "/f")).isEqualTo(bytes);
            }
            forget(6);
        }
    }

    /**
     * Who puts a block says first what is missing of it, then that there is a block: in between heal must not take it
     * off the list.
     */
    @Test
    void whatIsMissingOfABlockThatIsBeingWrittenStaysOnTheList() throws IOException {
        create(2, "mirror:2");
        long coming;
        try (var volume = open(Access.WRITE); var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            write(volume, Vfs.ROOT, "f", 300_000);
            var rows = volume.spot().orElseThrow().rows();
            coming = volume.engine().read(Sessions::all).getFirst().blocks().getFirst().end() - 1;
            rows.missing(coming, List.of(2));
            care.healListed();
            care(other -> other.heal(Set.of()));   // by another process
            assertThat(rows.isMissing(coming, List.of(2))).isTrue();
            assertThat(volumes.spreading().redundancy("v").isWhole()).as("of what can be read").isTrue();
        }
        care(BlockCare::healListed);
        try (var volume = open(Access.READ)) {
            assertThat(volume.spot().orElseThrow().rows().isMissing(coming, List.of(2))).as("nobody will write it")
                    .isFalse();
        }
    }

    /** Files are deleted while their blocks are looked after: nothing is lost. */
    @Test
    void whatIsDeletedMeanwhileIsNotLost() throws IOException {
        create(2, "mirror:2");
        try (var volume = open(Access.WRITE)) {
            write(volume, Vfs.ROOT, "f", 2_000_000);
            var rows = volume.spot().orElseThrow().rows();
            var blocks = rows.blocks(0).stream().map(BlockRow::id).toList();
            rows.missing(2, blocks);
            for (int store = 1; store <= 2; store++) {
                for (var object : objects(store)) {
                    if (Long.parseLong(object.getFileName().toString(), 16) > blocks.get(1)) {
                        Files.delete(object);
                    }
                }
            }
            var deleting = new BlockCare.Watcher() {
                private int seen;

                @Override
                public void looked(long bytes) {
                    if (seen++ == 2) {   // between the look at the row of the third and that at its parts
                        try {
                            volume.engine().transact(tx -> {
                                for (long block : blocks.subList(2, blocks.size())) {
                                    tx.delete(Row.from('b', block));
                                }
                                return null;
                            });
                        } catch (IOException failed) {
                            throw new UncheckedIOException(failed);
                        }
                    }
                }
            };
            try (var care = new BlockCare(volume, deleting)) {
                assertThat(care.healListed().lost()).isEmpty();
                assertThat(rows.countMissing()).isZero();
            }
        }
    }

    /** However many blocks are made anew at once, each is, and counted once. */
    @Test
    void manyBlocksAreHealedAtOnce() throws IOException {
        create(6, "ec:4+2");
        var files = new ArrayList<byte[]>();
        try (var volume = open(Access.WRITE)) {
            for (int i = 0; i < 6; i++) {
                files.add(write(volume, Vfs.ROOT, "f" + i, 3_000_000 + i));
            }
        }
        int there = objects(2).size() + objects(5).size();
        wipe(2);
        wipe(5);
        var report = care(care -> care.heal(Set.of("s2", "s5")));
        assertThat(report.isClean()).as(report.toString()).isTrue();
        assertThat(report.repaired()).isEqualTo(there);
        assertThat(report.blocks()).isEqualTo(6 * 12);
        wipe(1);
        wipe(3);
        try (var volume = open(Access.READ)) {
            for (int i = 0; i < 6; i++) {
                assertThat(read(volume, "/f" + i)).isEqualTo(files.get(i));
            }
        }
    }

    /** By a clock that stands still: who sends last waits for everything that was sent. */
    @Test
    void aLimitHoldsForAllBlocksTogetherHoweverManyAreHealedAtOnce() throws IOException {
        create(3, "mirror:3");
        try (var volume = open(Access.WRITE)) {
            write(volume, Vfs.ROOT, "f", 5_000_000);
        }
        wipe(2);
        var waits = new ConcurrentLinkedQueue<Duration>();
        var clock = new Pause() {
            @Override
            public void sleep(Duration time) {
                waits.add(time);
            }

            @Override
            public long nanoTime() {
                return 0;
            }
        };
        var report = care(care -> {
            care.limit(new Bandwidth(Rate.of("1MB/s"), clock));
            return care.heal(Set.of("s2"));
        });
        assertThat(report.repaired()).isEqualTo(20);
        assertThat(waits).hasSize(20).doesNotHaveDuplicates();
        assertThat(Collections.max(waits)).as("5 MB and what blocks have beyond their bytes")
                .isBetween(Duration.ofMillis(5_000), Duration.ofMillis(5_100));
    }

    private void forget(int stores) throws IOException {
        volumes.destroy("v", false);
        for (int i = 1; i <= stores; i++) {
            volumes.stores().remove("s" + i);
        }
    }

    @Test
    void aFlippedBitIsReadThroughAndRepaired() throws IOException {
        for (var policy : List.of("mirror:2", "ec:2+1")) {
            create(3, policy);
            byte[] bytes;
            try (var volume = open(Access.WRITE)) {
                bytes = write(volume, Vfs.ROOT, "f", 600_000);
            }
            for (int store = 1; store <= 3; store++) {
                for (var object : objects(store)) {
                    byte[] right = Files.readAllBytes(object);
                    flip(object, right);
                    var seen = new AtomicReference<byte[]>();
                    try (var volume = open(Access.WRITE)) {
                        assertThat(read(volume, "/f")).as("%s %s", policy, object).isEqualTo(bytes);
                    }
                    care(care -> care.scrub(true, true));   // it may be a copy that nobody read
                    seen.set(Files.readAllBytes(object));
                    assertThat(seen.get()).as("%s %s", policy, object).isEqualTo(right);
                }
            }
            forget(3);
        }
    }

    private void flip(Path object, byte[] right) throws IOException {
        byte[] wrong = right.clone();
        wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(object, wrong);
    }

    @Test
    void aReadRepairsTheCopyItMet() throws IOException {
        create(2, "mirror:2");
        byte[] bytes;
        try (var volume = open(Access.WRITE)) {
            bytes = write(volume, Vfs.ROOT, "f", 200_000);
        }
        byte[] right = Files.readAllBytes(objects(1).getFirst());
        for (int store = 1; store <= 2; store++) {
            // cut short: whoever is asked first
            Files.write(objects(store).getFirst(), Arrays.copyOf(right, right.length - 1));
        }
        Files.write(objects(2).getFirst(), right);
        for (int attempt = 0; attempt < 4; attempt++) {
            try (var volume = open(Access.WRITE)) {
                assertThat(read(volume, "/f")).isEqualTo(bytes);
            }
        }
    }

    @Test
    void withoutRedundancyDamageIsAnErrorAndTheFileIsNamed() throws IOException {
        create(2, "stripe:all");
        try (var volume = open(Access.WRITE)) {
            write(volume, volume.vfs().makeDirectory(Vfs.ROOT, Name.of("d"), 0755, Owner.ROOT).ino(), "f", 200_000);
        }
        var object = objects(1).isEmpty() ? objects(2).getFirst() : objects(1).getFirst();
        flip(object, Files.readAllBytes(object));
        try (var volume = open(Access.READ)) {
            assertThatThrownBy(() -> read(volume, "/d/f")).isInstanceOf(IOException.class);
        }
        assertThat(care(care -> care.scrub(true, true)).lost()).containsExactly("v:/d/f");
    }

    @Test
    void directoriesHaveLayoutsOfTheirOwn() throws IOException {
        create(6, "stripe:all");
        try (var volume = open(Access.WRITE); var care = new BlockCare(volume, BlockCare.Watcher.NONE)) {
            var spot = volume.spot().orElseThrow();
            long safe = volume.vfs().makeDirectory(Vfs.ROOT, Name.of("safe"), 0755, Owner.ROOT).ino();
            volume.vfs().setLayout(safe, spot.store().repair().numberOf(LayoutPolicy.of("ec:4+2,size=64KiB")));
            long below = volume.vfs().makeDirectory(safe, Name.of("below"), 0755, Owner.ROOT).ino();
            byte[] bytes = write(volume, below, "f", 300_000);
            assertThat(read(volume, "/safe/below/f")).isEqualTo(bytes);
            var blocks = care.blocks(volume.paths().resolve("/safe/below/f").ino());
            assertThat(blocks).hasSize(5).allMatch(block -> layout(volume, block).equals("ec:4+2"));
            byte[] plain = write(volume, Vfs.ROOT, "plain", 300_000);
            long ino = volume.paths().resolve("/plain").ino();
            assertThat(care.blocks(ino)).allMatch(block -> layout(volume, block).equals("stripe:6"));
            volume.vfs().setLayout(ino, spot.store().repair().numberOf(LayoutPolicy.of("mirror:3")));
            assertThat(care.migrate(ino)).isEqualTo(2);
            assertThat(care.migrate(ino)).as("again").isZero();
            assertThat(care.blocks(ino)).allMatch(block -> layout(volume, block).equals("mirror:3"));
            assertThat(read(volume, "/plain")).isEqualTo(plain);
            assertThat(care.scrub(true, false).isClean()).isTrue();
        }
    }

    private static String layout(Volume volume, BlockCare.Used block) {
        try {
            return volume.spot().orElseThrow().store().repair().arrangementOf(block.row().layout()).layout().toString();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void storesComeAndGo() throws IOException {
        create(3, "stripe:all");
        volumes.stores().add("s4", StoreUrl.of("file://" + directory.resolve("s4")));
        byte[] bytes;
        try (var volume = open(Access.WRITE)) {
            bytes = write(volume, Vfs.ROOT, "f", 3_000_000);
        }
        volumes.spreading().add("v", List.of("s4"));
        care(care -> {
            assertThat(care.rebalance()).isPositive();
            return care.scrub(true, false);
        });
        assertThat(objects(4)).hasSizeBetween(2, 4);
        volumes.spreading().leave("v", "s2", true);
        care(care -> {
            assertThat(care.drain(2)).isPositive();
            assertThat(care.drain(2)).isZero();
            return care.scrub(true, false);
        });
        volumes.spreading().takeOut("v", "s2");
        assertThat(objects(2)).isEmpty();
        volumes.stores().remove("s2");
        try (var volume = open(Access.WRITE)) {
            assertThat(read(volume, "/f")).isEqualTo(bytes);
            write(volume, Vfs.ROOT, "g", 500_000);
        }
        assertThat(volumes.find("v").stores()).containsExactly("s1", "s3", "s4");
        volumes.destroy("v", false);
    }

    @Test
    void aVolumeWithOneStoreGetsMore() throws IOException {
        volumes.stores().add("s1", StoreUrl.of("file://" + directory.resolve("s1")));
        volumes.stores().add("s2", StoreUrl.of("file://" + directory.resolve("s2")));
        volumes.create(VolumeDraft.named("v").withBlockSize(ByteSize.of("256KiB")).withStore("s1"));
        byte[] bytes;
        try (var volume = open(Access.WRITE)) {
            bytes = write(volume, Vfs.ROOT, "f", 1_000_000);
        }
        volumes.spreading().add("v", List.of("s2"));
        volumes.spreading().setPolicy("v", LayoutPolicy.of("mirror:2"));
        care(care -> {
            care.rebalance();
            return care.scrub(true, false);
        });
        wipe(1);
        try (var volume = open(Access.READ)) {
            assertThat(read(volume, "/f")).isEqualTo(bytes);
        }
    }

    @Test
    void stagedBlocksAreUploadedToTheirPlaces() throws IOException {
        create(6, "ec:4+2");
        byte[] bytes;
        try (var volume = volumes.open(OpeningRequest.of("v", Access.WRITE, "test")
                .lasting(Optional.of(Writeback.USUAL)))) {
            bytes = write(volume, Vfs.ROOT, "f", 900_000);
            assertThat(read(volume, "/f")).isEqualTo(bytes);
            write(volume, Vfs.ROOT, "small", 6_000);
        }
        try (var volume = open(Access.READ)) {
            assertThat(read(volume, "/f")).isEqualTo(bytes);
        }
        assertThat(care(care -> care.scrub(true, false)).isClean()).isTrue();
        assertThat(objects(1)).hasSizeGreaterThanOrEqualTo(4);
    }

    /**
     * A store goes down and comes back while files are written and read: nobody notices, and the list says what to
     * heal.
     */
    @Test
    void aStoreGoesDownUnderReadersAndWriters() throws Exception {
        for (var policy : List.of("mirror:2", "ec:4+2")) {
            create(6, policy);
            var files = new ArrayList<byte[]>();
            var over = new AtomicBoolean();
            try (var volume = open(Access.WRITE)) {
                for (int i = 0; i < 12; i++) {
                    if (i == 4) {
                        volumes.spreading().order("s3", Chaos.until(Instant.now().plusSeconds(60)).withDown());
                    }
                    if (i == 9) {
                        volumes.spreading().end("s3");
                    }
                    files.add(write(volume, Vfs.ROOT, "f" + i, 700_000));
                    for (int j = 0; j < files.size(); j += 3) {
                        assertThat(read(volume, "/f" + j)).as("%s %d", policy, j).isEqualTo(files.get(j));
                    }
                    Thread.sleep(i == 4 || i == 9 ? 150 : 0);   // until the order is seen
                }
                over.set(true);
            }
            assertThat(over).isTrue();
            care(care -> care.heal(Set.of()));
            assertThat(volumes.spreading().redundancy("v").isWhole()).isTrue();
            assertThat(care(care -> care.scrub(true, false)).isClean()).isTrue();
            forget(6);
        }
    }

    @Test
    void troubleEndsByItself() throws IOException {
        create(2, "stripe:all");
        volumes.spreading().order("s1", Chaos.until(Instant.now().plusSeconds(60)).withDown());
        assertThatThrownBy(() -> volumes.stores().probe("s1", new StoreProbe(new ByteSize(100), 1)))
                .hasStackTraceContaining("volsh chaos");
        assertThat(volumes.spreading().redundancy("v").away()).hasSize(1);
        volumes.spreading().order("s1", Chaos.until(Instant.now().minusSeconds(1)).withDown());
        assertThat(volumes.stores().probe("s1", new StoreProbe(new ByteSize(100), 1))).isNotEmpty();
        assertThat(volumes.spreading().redundancy("v").away()).isEmpty();
    }

    /** A store that is gone for good is drained from what the others have. */
    @Test
    void aDeadStoreIsDrained() throws IOException {
        create(4, "mirror:2");
        byte[] bytes;
        try (var volume = open(Access.WRITE)) {
            bytes = write(volume, Vfs.ROOT, "f", 1_500_000);
        }
        wipe(3);
        Files.delete(directory.resolve("s3"));
        Files.writeString(directory.resolve("s3"), "no directory any more");
        volumes.spreading().leave("v", "s3", true);
        care(care -> {
            assertThat(care.drain(3)).isPositive();
            return care.scrub(true, false);
        });
        volumes.spreading().takeOut("v", "s3");
        assertThat(volumes.spreading().redundancy("v").isWhole()).isTrue();
        try (var volume = open(Access.WRITE)) {
            assertThat(read(volume, "/f")).isEqualTo(bytes);
            volume.vfs().unlink(Vfs.ROOT, Name.of("f"));
        }
        assertThat(care(care -> care.scrub(true, false)).isClean()).isTrue();
    }

    @Test
    void tooFewStoresAreRefusedBeforeAnythingIsMade() {
        assertThatThrownBy(() -> create(3, "ec:4+2")).isInstanceOf(Refusal.class)
                .hasMessageContaining("takes 6 stores, and there are 3");
        assertThat(directory.resolve("s1")).isEmptyDirectory();
    }
}
