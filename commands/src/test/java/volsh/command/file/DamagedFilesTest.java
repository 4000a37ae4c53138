package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaKey;
import volsh.engine.sqlite.SqliteMetaEngine;

/**
 * Files of a home that are damaged as files: the log that a killed process left, pages of the database. Told with 7,
 * found by checks.
 */
@Timeout(900)
final class DamagedFilesTest {
    private static final int INTEGRITY = 7;
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int FLIPS = LONG ? 1_000 : 16;
    private static final int PAGE = 4096;
    private static final int FRAME = 24 + PAGE;

    @TempDir
    Path directory;
    private FileHome home;
    private Path database;

    @BeforeEach
    void fill() throws Exception {
        home = new FileHome(directory);
        for (int i = 0; i < 30; i++) {
            home.text("t/file-" + i, "text " + i);
        }
        home.succeed("put -q -r @t data:/t");
        try (var found = Files.walk(home.local("home"))) {
            database = found.filter(path -> path.endsWith("meta.db")).findFirst().orElseThrow();
        }
    }

    private Path beside(String ending) {
        return Path.of(database + ending);
    }

    /** The files as they are while a process that has written these rows lives; it is gone then. */
    private void killAfterWriting(int rows) throws Exception {
        var copies = Files.createDirectory(directory.resolve("copies"));
        var endings = List.of("", "-wal", "-tip");
        try (var engine = SqliteMetaEngine.open(database)) {
            for (int i = 0; i < rows; i++) {
                var key = MetaKey.of(("vtest-" + i).getBytes(StandardCharsets.US_ASCII));
                engine.transact(tx -> {
                    tx.put(key, new byte[100]);
                    return null;
                });
            }
            engine.sync();
            for (var ending : endings) {
                Files.copy(beside(ending), copies.resolve("meta.db" + ending));
            }
        }
        for (var ending : endings) {
            Files.deleteIfExists(beside(ending));
            Files.copy(copies.resolve("meta.db" + ending), beside(ending));
        }
        Files.deleteIfExists(beside("-shm"));
    }

    private static void flip(Path path, int at) throws Exception {
        byte[] bytes = Files.readAllBytes(path);
        bytes[at] ^= 4;
        Files.write(path, bytes);
    }

    @Test
    void aDamagedLogIsToldAndSetAsideByARepair() throws Exception {
        killAfterWriting(40);
        flip(beside("-wal"), 32 + 20 * FRAME + 1000);
        byte[] damaged = Files.readAllBytes(beside("-wal"));
        for (var line : List.of("ls data:/t", "cat data:/t/file-1", "df data", "volume show data",
                "volume sessions data", "put -q @t/file-1 data:/new", "snapshot list data")) {
            var ended = home.run(line);
            assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(INTEGRITY);
            assertThat(ended.err()).as(line).contains("data", "the log of the metadata is damaged",
                    "volsh volume check data").doesNotContain("Exception");
        }
        var check = home.run("volume check data");
        assertThat(check.status()).isEqualTo(INTEGRITY);
        assertThat(check.err()).contains("volume 'data'", "log of the metadata is damaged",
                "volsh volume check data --repair");
        assertThat(home.succeed("volume check data --repair --dry-run").out()).contains("log-damaged");
        assertThat(Files.readAllBytes(beside("-wal"))).as("nothing has touched it").isEqualTo(damaged);
        var repair = home.run("volume check data --repair");
        assertThat(repair.status()).as(repair.out() + repair.err()).isZero();
        assertThat(repair.out()).contains("log-damaged", "repaired", "meta.db-wal.damaged-");
        try (var files = Files.list(database.getParent())) {
            var copy = files.filter(path -> path.toString().contains("meta.db-wal.damaged-")).findFirst().orElseThrow();
            assertThat(Files.readAllBytes(copy)).isEqualTo(damaged);
        }
        assertThat(home.succeed("cat data:/t/file-1").out()).isEqualTo("text 1");
        home.succeed("volume check data --deep");
    }

    @Test
    void aWholeLogIsNoDamage() throws Exception {
        killAfterWriting(40);
        home.succeed("ls data:/t");
        home.succeed("volume check data");
    }

    @Test
    void aDamagedPageIsFoundByACheck() throws Exception {
        byte[] whole = Files.readAllBytes(database);
        int pages = whole.length / PAGE;
        assertThat(pages).isGreaterThan(2);
        for (int page : LONG ? IntStream.range(1, pages).toArray()
                : new int[] {1, 2 + new Random().nextInt(pages - 2)}) {
            byte[] damaged = whole.clone();
            damaged[page * PAGE + 3] ^= 3;   // how many rows the page has
            Files.write(database, damaged);
            Files.deleteIfExists(beside("-wal"));
            for (var line : List.of("volume check data", "volume check data --deep", "volume check data --repair")) {
                var ended = home.run(line);
                assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(INTEGRITY);
                assertThat(ended.out()).as(line + "\n" + ended.err()).contains("database-damaged");
                assertThat(ended.err()).doesNotContain("Exception");
            }
        }
    }

    /**
     * What a home has beside metadata and blocks: the catalog, the stores, what is known of caches. A flipped bit is
     * told, or changes nothing.
     */
    @Test
    void everyFlippedBitOfAHomeIsToldOrWithoutEffect() throws Exception {
        home.succeed("volume set data label.team=vision");
        var lines = List.of("volume show data -o json", "store list -o json", "cat data:/t/file-1", "volume list");
        var right = new ArrayList<String>();
        for (var line : lines) {
            right.add(home.succeed(line).out());
        }
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        var random = new Random(seed);
        var wrong = new ArrayList<String>();
        int told = 0;
        for (var file : files()) {
            byte[] whole = Files.readAllBytes(file);
            for (int i = 0; i < FLIPS && whole.length > 0; i++) {
                byte[] damaged = i % 8 == 7 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
                int at = damaged.length == 0 ? 0 : random.nextInt(damaged.length);
                if (i % 8 != 7) {
                    damaged[at] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(file, damaged);
                for (int line = LONG ? 0 : i % lines.size(); line < (LONG ? lines.size() : i % lines.size() + 1);
                        line++) {
                    var ended = home.run(lines.get(line));
                    told += ended.status() == INTEGRITY ? 1 : 0;
                    boolean same = ended.status() == 0 && ended.out().equals(right.get(line));
                    if (!same && ended.status() != INTEGRITY || ended.err().contains("Exception")
                            || ended.err().contains("internal error")) {
                        wrong.add("%s, byte %d of %d: %s ends with %d: %s".formatted(file.getFileName(), at,
                                damaged.length, lines.get(line), ended.status(), ended.out() + ended.err()));
                    }
                }
            }
            Files.write(file, whole);
        }
        assertThat(wrong).as("seed %d", seed).isEmpty();
        assertThat(told).isPositive();
    }

    private List<Path> files() throws Exception {
        try (var all = Files.walk(home.local("home"))) {
            return all.filter(Files::isRegularFile).filter(path -> !path.toString().contains("meta.db")
                    && !path.toString().contains("/blocks/") && !path.toString().contains("/data/")).toList();
        }
    }
}
