package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One byte of one row is changed in the database: a repair leaves a volume that works, in which at most the file of
 * that row is damaged.
 */
@Timeout(120)
final class DamagedRowRepairTest {
    private static final int INTEGRITY = 7;
    private static final String KINDS = "XKDLNESUbu";
    /** For an extent whose key was changed. */
    private static final char KEY = 'K';
    private static final List<String> FILES = List.of("first", "large", "copy", "other", "second");

    @TempDir
    Path directory;

    private static Path database(FileHome home) throws Exception {
        try (var found = Files.walk(home.local("home"))) {
            return found.filter(path -> path.endsWith("meta.db")).findFirst().orElseThrow();
        }
    }

    private static Set<String> keys(Connection connection, char kind) throws Exception {
        var keys = new HashSet<String>();
        try (var rows = connection.createStatement()
                .executeQuery("SELECT hex(k) FROM kv WHERE substr(k, 1, 1) = x'%02x'".formatted((int) kind))) {
            while (rows.next()) {
                keys.add(rows.getString(1));
            }
        }
        return keys;
    }

    private static Connection open(FileHome home) throws Exception {
        return DriverManager.getConnection("jdbc:sqlite:" + database(home));
    }

    /** A row that was not there before; of a kind that has no new ones, any. */
    private static String pick(Connection connection, char kind, Set<String> before) throws Exception {
        var keys = new ArrayList<>(keys(connection, kind));
        assertThat(keys).as("rows of kind %s", kind).isNotEmpty();
        if (!before.containsAll(keys)) {
            keys.removeAll(before);
        }
        return keys.stream().sorted().toList().get(keys.size() / 2);
    }

    private static void damage(Connection connection, String key, boolean inKey) throws Exception {
        if (inKey) {
            connection.createStatement().execute("UPDATE kv SET k = x'%s' WHERE k = x'%s'"
                    .formatted(key.substring(0, 10) + "40" + key.substring(12), key));
            return;
        }
        try (var row = connection.createStatement().executeQuery("SELECT v FROM kv WHERE k = x'%s'".formatted(key))) {
            byte[] value = row.getBytes(1);
            value[value.length / 2] ^= 0x10;
            connection.createStatement()
                    .execute("UPDATE kv SET v = x'%s' WHERE k = x'%s'".formatted(HexFormat.of().formatHex(value), key));
        }
    }

    @Test
    void theVolumeWorksAfterTheRepairOfARowOfEachKind() throws Exception {
        var home = new FileHome(directory);
        home.text("t/first", "one");
        home.text("t/second", "the weights are 1000");
        home.file("t/large", 300_000);
        home.file("t/other", 150_000);
        Files.createSymbolicLink(home.local("t/link"), Path.of("first"));
        var rows = new ArrayList<String>();
        for (char kind : KINDS.toCharArray()) {   // each in a directory of its own
            try (var connection = open(home)) {
                var before = keys(connection, kind == KEY ? 'X' : kind);
                home.succeed("put -q -r @t data:/in-" + kind);
                home.succeed("cp -q data:/in-%s/large data:/in-%s/copy".formatted(kind, kind));
                rows.add(pick(connection, kind == KEY ? 'X' : kind, before));
            }
        }
        try (var connection = open(home)) {
            for (int i = 0; i < rows.size(); i++) {
                damage(connection, rows.get(i), KINDS.charAt(i) == KEY);
            }
        }
        Files.copy(home.local("t/large"), home.local("t/copy"));
        var repair = home.run("volume check data --repair");
        assertThat(repair.status()).as(repair.out() + repair.err()).isEqualTo(INTEGRITY);
        home.run("get -q -r data:/ @got");
        var damaged = new ArrayList<String>();
        for (char kind : KINDS.toCharArray()) {
            for (var file : FILES) {
                var got = home.local("got/in-%s/%s".formatted(kind, file));
                if (Files.exists(got)) {
                    assertThat(got).hasSameBinaryContentAs(home.local("t/" + file));
                } else {
                    damaged.add("/in-%s/%s".formatted(kind, file));
                }
            }
        }
        assertThat(damaged).as("at most the file of the row").hasSizeBetween(3, 4)
                .satisfiesOnlyOnce(file -> assertThat(file).startsWith("/in-X/"))
                .satisfiesOnlyOnce(file -> assertThat(file).startsWith("/in-K/"))
                .satisfiesOnlyOnce(file -> assertThat(file).startsWith("/in-D/"))
                .allSatisfy(file -> assertThat(file).matches("/in-[XKDE]/.*"));
        for (var line : List.of("volume show data", "df data", "volume gc data --delete")) {
            home.succeed(line);
        }
        assertThat(home.local("got/in-L/link")).doesNotExist();
        damaged.add("/in-L/link");
        isToldUntilItIsRemoved(home, damaged.stream().filter(file -> !file.startsWith("/in-E")).toList());
    }

    /** As somebody does who removes the file before the repair. */
    @Test
    void onlyItsFileIsDamagedAndIsRepairedAwayOnceItWasRemoved() throws Exception {
        var home = new FileHome(directory);
        home.file("t/large", 300_000);
        home.file("t/other", 150_000);
        home.succeed("put -q @t/other data:/before");
        home.succeed("put -q @t/large data:/large");
        home.succeed("put -q @t/other data:/other");
        try (var connection = open(home)) {
            damage(connection, pick(connection, 'X', Set.of()), false);
        }
        var got = home.run("get -r data:/ @all");
        assertThat(got.status()).as(got.err()).isEqualTo(INTEGRITY);
        assertThat(home.local("all/before")).hasSameBinaryContentAs(home.local("t/other"));
        assertThat(home.local("all/other")).hasSameBinaryContentAs(home.local("t/other"));
        assertThat(home.local("all/large")).doesNotExist();
        assertThat(home.run("volume check data").out()).contains("/large").doesNotContain("/before", "/other");
        home.run("rm -q data:/large");
        assertThat(home.run("status").out()).contains("damaged", "volsh volume check data")
                .doesNotContain("volsh volume show");
        home.succeed("volume check data --repair");
        home.succeed("get -q data:/other @got");
        assertThat(home.local("got")).hasSameBinaryContentAs(home.local("t/other"));
        for (var line : List.of("volume show data", "df data", "volume gc data --delete", "volume check data",
                "status")) {
            home.succeed(line);
        }
    }

    private static void isToldUntilItIsRemoved(FileHome home, List<String> damaged) {
        var check = home.run("volume check data");
        assertThat(check.status()).isEqualTo(INTEGRITY);
        for (var file : damaged) {
            assertThat(check.out()).as("the file is named").contains(file);
            assertThat(home.run("cat data:" + file).status()).isEqualTo(INTEGRITY);
            home.succeed("rm -q data:" + file);
        }
        home.succeed("volume check data");
        for (var line : List.of("volume show data", "df data", "volume gc data --delete", "status")) {
            home.succeed(line);
        }
    }
}
