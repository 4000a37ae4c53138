package volsh.command.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.inventory.Row;
import volsh.postgrestest.PostgresServer;

/**
 * {@code volume check}, {@code dump}, {@code load}, {@code gc} and {@code heal} of a volume with several stores, as a
 * person uses them.
 */
final class PlaceUpkeepTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final String OBJECT = "[0-9a-f]{16}(\\.\\d+)?";

    @TempDir
    Path directory;
    private Scratch machine;
    private int copies;

    @BeforeEach
    void stores() throws IOException {
        machine = new Scratch(directory.resolve("home"));
        var data = Files.createDirectories(directory.resolve("data"));
        var random = new Random(1);
        for (int i = 0; i < 4; i++) {
            byte[] bytes = new byte[1000 + i * 90_000];
            random.nextBytes(bytes);
            Files.write(data.resolve("f" + i), bytes);
        }
        for (int i = 1; i <= 3; i++) {
            ok("store add s%d file://%s".formatted(i, directory.resolve("s" + i)));
        }
    }

    private void create(String layout) {
        ok("volume create big --store s1,s2,s3 %s --block-size 64KiB --inline 0".formatted(layout));
        ok("put -r %s big:/".formatted(directory.resolve("data")));
        if (!layout.startsWith("--stripe")) {
            ok("heal big");   // what a store was too slow for, on a busy machine, is written down and made up for
        }
    }

    /** Copies and parity take space: what is shown is what is on the disks. */
    @Test
    void storedIsWhatIsOnTheDisks() throws IOException {
        for (String layout : List.of("--mirror 2", "--ec 2+1", "--stripe-count -1")) {
            create(layout);
            long objects = 0;
            for (int i = 1; i <= 3; i++) {
                try (var found = Files.walk(directory.resolve("s" + i))) {
                    objects += found.filter(path -> path.getFileName().toString().matches(OBJECT))
                            .mapToLong(path -> path.toFile().length()).sum();
                }
            }
            String shown = objects + "," + Math.round(100.0 * 544_000 / objects) / 100.0;
            assertThat(ok("df big -o csv --columns stored,ratio").out()).as(layout).contains("\n" + shown + "\n");
            assertThat(ok("volume show big -o csv --columns stored,ratio").out()).contains("\n" + shown + "\n");
            ok("volume destroy big --confirm big");
        }
    }

    /** A block that cannot be read names the stores that should have it. */
    @Test
    void whatIsAwayIsNamed() throws IOException {
        create("--ec 2+1");
        for (String store : List.of("s1", "s3")) {
            Files.move(directory.resolve(store), directory.resolve(store + "-away"));
        }
        assertThat(ended("cat big:/data/f3", 6).err()).contains("2 of its 3 shards cannot be read, "
                + "but only 1 may be lost: those on stores s1, s3", "is missing: no such directory");
        for (String store : List.of("s1", "s3")) {
            Files.move(directory.resolve(store + "-away"), directory.resolve(store));
            deleteObjects(store);
        }
        assertThat(ended("cat big:/data/f3", 7).err()).contains("stored data is damaged",
                "2 of its 3 shards cannot be read, but only 1 may be lost: those on stores s1, s3");
        ok("volume destroy big --confirm big");
        create("--mirror 2");
        for (String store : List.of("s1", "s2", "s3")) {
            deleteObjects(store);
        }
        assertThat(ended("cat big:/data/f3", 7).err()).containsPattern("missing from stores s[1-3], s[1-3]");
        for (String store : List.of("s1", "s2", "s3")) {
            Files.move(directory.resolve(store), directory.resolve(store + "-away"));
        }
        assertThat(ended("cat big:/data/f3", 6).err())
                .contains("none of its 2 copies can be read", "is missing: no such directory");
    }

    private void deleteObjects(String store) throws IOException {
        for (var object : objects(store)) {
            Files.delete(object);
        }
    }

    /** With one store there is nothing to repair from, and as much to look at. */
    @Test
    void oneStoreIsScrubbed() throws IOException {
        ok("volume create one --store s1 --block-size 64KiB --inline 0");
        ok("put -r %s one:/".formatted(directory.resolve("data")));
        assertThat(ok("scrub one --deep -o csv --columns missing,damaged,lost").out()).contains("0,0,");
        Path object;
        try (var found = Files.walk(directory.resolve("s1"))) {
            object = found.filter(path -> path.getFileName().toString().matches(OBJECT))
                    .max(Comparator.comparingLong(path -> path.toFile().length())).orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 4;
        Files.write(object, bytes);
        assertThat(ok("scrub one").out()).as("its length is right").isNotEmpty();
        var deep = ended("scrub one --deep -o csv --columns damaged", 7);
        assertThat(deep.out()).contains("\n1\n");
        assertThat(deep.err()).contains("lost: /data/f");
        Files.delete(object);
        assertThat(ended("scrub one -o csv --columns missing", 7).out()).contains("\n1\n");
    }

    private Ended ok(String line) {
        return ended(line, 0);
    }

    private Ended ended(String line, int status) {
        var ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    private void requireSame(String volume) throws IOException {
        var copy = directory.resolve("copy-" + ++copies);
        ok("get -r %s:/data %s".formatted(volume, copy));
        for (int i = 0; i < 4; i++) {
            assertThat(Files.mismatch(copy.resolve("f" + i), directory.resolve("data/f" + i))).isEqualTo(-1);
        }
    }

    private List<Path> objects(String store) throws IOException {
        try (var files = Files.walk(directory.resolve(store))) {
            return files.filter(file -> file.getFileName().toString().matches(OBJECT)).sorted().toList();
        }
    }

    private void wipe(String store) throws IOException {
        try (var all = Files.walk(directory.resolve(store))) {
            for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        Files.createDirectory(directory.resolve(store));   // as a mount point without its disk
    }

    /**
     * The must-show: wipe one store, heal, and a deep check is clean. An empty place is not filled before somebody says
     * so.
     */
    @Test
    void aWipedStoreIsHealedWhenThatIsConfirmed() throws IOException {
        for (var layout : List.of("--mirror 2", "--ec 2+1")) {
            create(layout);
            assertThat(ok("volume check big --deep").err()).contains("4 files", "found no problem");
            int there = objects("s2").size();
            wipe("s2");
            assertThat(ended("volume check big --deep", 6).out()).contains("store-away").contains("'s2'");
            requireSame("big");
            var asked = ended("heal big --no-input", 2);
            assertThat(asked.err()).contains("no mark of volume 'big'").contains("--confirm s2")
                    .contains("not mounted");
            ended("heal big --confirm s1", 2);
            ended("heal big --no-refill", 6);
            assertThat(Files.list(directory.resolve("s2"))).as("nothing was put there").isEmpty();
            assertThat(ended("heal big --confirm s2", 0).err()).contains("store 's2' is refilled")
                    .contains("redundancy is whole");
            assertThat(objects("s2")).hasSize(there);
            assertThat(ok("volume check big --deep").err()).contains("found no problem");
            ok("heal big");
            ok("volume destroy big --confirm big");
        }
    }

    @Test
    void whatAStoreLacksOrHasDamagedIsFoundAndRepaired() throws IOException {
        for (var layout : LONG ? List.of("--mirror 2", "--ec 2+1") : List.of("--mirror 2")) {
            create(layout);
            Files.delete(objects("s1").getFirst());
            assertThat(ended("volume check big", 7).out()).contains("part-missing").contains("in store 's1' is missing")
                    .contains("/data/f");
            assertThat(ended("volume check big --repair -n", 0).out()).contains("part-missing");
            flip(objects("s3").getLast());
            assertThat(ended("volume check big --deep", 7).out()).contains("part-missing").contains("part-corrupt")
                    .contains("in store 's3' is damaged");
            assertThat(ok("volume check big --deep --repair").out()).contains("repaired");
            assertThat(ok("volume check big --deep").err()).contains("found no problem");
            ok("volume destroy big --confirm big");
        }
    }

    private static void flip(Path object) throws IOException {
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 1;
        Files.write(object, bytes);
    }

    /** More is gone than the layout may lose: the file is named, and nothing is claimed to be repaired. */
    @Test
    void whatIsLostIsNamed() throws IOException {
        create("--stripe-count -1");
        flip(objects("s1").getFirst());
        Files.delete(objects("s2").getFirst());
        assertThat(ended("volume check big", 7).out()).contains("object-missing").contains("/data/f");
        var got = machine.run("get -r big:/data " + directory.resolve("lost"));
        assertThat(got.status()).isNotZero();
        assertThat(got.err()).contains("big:/data/f");
        assertThat(ended("volume check big --deep --repair", 7).out()).contains("object-corrupt")
                .contains("object-missing").doesNotContain("repaired");
    }

    /** Stores that share a disk share its room; a mirror takes every byte twice. */
    @Test
    void dfCountsCopies() {
        ok("volume create striped --store s1,s2,s3 --stripe-count -1");
        ok("volume create twice --store s1,s2,s3 --mirror 2");
        double striped = Long.parseLong(ok("df striped -o value:freeBytes").out().strip());
        double twice = Long.parseLong(ok("df twice -o value:freeBytes").out().strip());
        assertThat(twice / striped).isBetween(0.45, 0.55);
        assertThat(ok("df twice -o value:store").out()).isEqualTo("s1,s2,s3\n");
    }

    @Test
    void theRowOfABlockIsMadeAgainFromItsParts() throws IOException {
        for (var layout : LONG ? List.of("--stripe-count -1", "--mirror 2", "--ec 2+1") : List.of("--ec 2+1")) {
            create(layout);
            removeBlockRow();
            assertThat(ended("volume check big", 7).out()).contains("block-row-missing");
            assertThat(ok("volume check big --repair").out()).contains("repaired");
            ok("volume check big --deep");
            requireSame("big");
            ok("volume destroy big --confirm big");
        }
    }

    private void removeBlockRow() throws IOException {
        Path database;
        try (var files = Files.walk(machine.home())) {
            database = files.filter(file -> file.getFileName().toString().matches("meta.*db")).findFirst()
                    .orElseThrow();
        }
        try (var engine = SqliteMetaEngine.open(database)) {
            var from = Row.from('b', 0);
            var rows = engine.read(tx -> tx.scan(from, Row.from('b', Long.MAX_VALUE), 10)).stream()
                    .map(MetaEngine.Entry::key).toList();
            assertThat(rows).isNotEmpty();
            engine.transact(tx -> {
                tx.delete(rows.getFirst());
                return null;
            });
        }
    }

    @Test
    void partsThatNoRowNamesAreCollected() throws IOException {
        create("--ec 2+1");
        var object = objects("s1").getFirst();
        var nobodys = object.resolveSibling("0000000000000000.1");
        var elsewhere = objects("s2").stream().filter(path -> path.getFileName().toString().endsWith(".2")).findFirst()
                .orElseThrow();
        elsewhere = elsewhere.resolveSibling(elsewhere.getFileName().toString().replace(".2", ".1"));
        for (var stray : List.of(nobodys, elsewhere)) {
            Files.createDirectories(stray.getParent());
            Files.copy(object, stray);
        }
        assertThat(ok("volume check big").out()).contains("object-unused").contains("harmless");
        ok("volume gc big --delete");
        assertThat(nobodys).as("it is young").exists();
        for (var stray : List.of(nobodys, elsewhere)) {
            Files.setLastModifiedTime(stray, FileTime.from(Instant.now().minusSeconds(1_000_000)));
        }
        ok("volume gc big");
        assertThat(nobodys).exists();
        ok("volume gc big --delete");
        assertThat(nobodys).doesNotExist();
        assertThat(elsewhere).doesNotExist();
        assertThat(ok("volume check big --deep").out()).doesNotContain("object-unused");
        requireSame("big");
    }

    @Test
    void aDumpIsLoadedOntoSeveralStoresOrOneAndMoved() throws Exception {
        create("--ec 2+1");
        ok("mkdir big:/safe");
        ok("stripe set big:/safe --mirror 3");
        ok("put %s big:/safe/f3".formatted(directory.resolve("data/f3")));
        var dump = directory.resolve("big.dump");
        ok("volume dump big " + dump);
        ok("volume load %s same".formatted(dump));
        assertThat(ok("volume show same -o json").out()).contains("s1").contains("s3");
        ok("volume load %s other --store s3,s2 -n".formatted(dump).replace("s3,s2", "s3,s2,s1"));
        ok("volume load %s other --store s3,s2,s1".formatted(dump));
        assertThat(ended("volume load %s few --store s3,s2".formatted(dump), 2).err())
                .contains("takes 3 stores, and there are 2");
        ok("volume load %s alone --store s3".formatted(dump));
        for (var volume : List.of("same", "other", "alone")) {
            if (!volume.equals("alone")) {
                // what a store was too slow for, on a busy machine, is written down and made up for
                ok("heal " + volume);
            }
            assertThat(ok("volume check %s --deep".formatted(volume)).err()).contains("5 files", "found no problem");
            requireSame(volume);
        }
        ok("volume load %s big --move --meta %s".formatted(dump, PostgresServer.shared().url()));
        ok("heal big");
        ok("volume check big --deep");
        requireSame("big");
        wipe("s2");
        ok("heal other --confirm s2");
        ok("volume check other --deep");
        ok("volume dump big %s --force".formatted(dump));
        ok("volume load %s big --move".formatted(dump));
        requireSame("big");
    }
}
