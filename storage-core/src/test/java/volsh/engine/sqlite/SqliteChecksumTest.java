package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.add;
import static volsh.engine.MetaEngineContract.count;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;
import static volsh.engine.MetaEngineContract.scan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.RowChecksum;

/** Rows of a database file that are not what was written, and files of the time when rows had no checksum. */
final class SqliteChecksumTest {
    private static final int ROWS = 300;

    @TempDir
    Path directory;

    private Path path() {
        return directory.resolve("meta.db");
    }

    private static String name(int i) {
        return "row-%04d".formatted(i);
    }

    private void fill() throws Exception {
        try (var engine = SqliteMetaEngine.create(path())) {
            engine.transact(tx -> {
                for (int i = 0; i < ROWS; i++) {
                    tx.put(key(name(i)), ("value " + i).getBytes(StandardCharsets.UTF_8));
                }
                tx.add(key("sum"), Delta.of(7));
                return null;
            });
        }
    }

    private static Connection raw(Path path) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + path);
    }

    private void sql(String statement) throws SQLException {
        try (var connection = raw(path()); var run = connection.createStatement()) {
            run.execute(statement);
        }
    }

    @Test
    void aRowThatWasChangedIsRefusedByEveryReadAndTheOthersAreNot() throws Exception {
        fill();
        sql("UPDATE kv SET v = CAST(replace(CAST(v AS TEXT), 'value 7', 'value 8') AS BLOB) "
                + "WHERE k = CAST('row-0007' AS BLOB)");
        try (var engine = SqliteMetaEngine.open(path())) {
            assertThatThrownBy(() -> read(engine, name(7))).isInstanceOf(MetaDamagedException.class)
                    .hasMessageContaining("does not match its checksum");
            assertThatThrownBy(() -> engine.read(tx -> tx.getAll(List.of(key(name(6)), key(name(7))))))
                    .isInstanceOf(MetaDamagedException.class);
            assertThatThrownBy(() -> scan(engine, name(0), name(20), 100)).isInstanceOf(MetaDamagedException.class);
            assertThatThrownBy(() -> engine.transact(tx -> tx.get(key(name(7)))))
                    .isInstanceOf(MetaDamagedException.class);
            assertThat(read(engine, name(6))).isEqualTo("value 6");
            assertThat(scan(engine, name(9), name(20), 100)).as("behind it").hasSize(11);
            var seen = engine.survey(tx -> tx.scan(key(name(0)), key(name(20)), 100));
            assertThat(seen.stream().filter(MetaEngine.Entry::isDamaged).map(MetaEngine.Entry::key))
                    .containsExactly(key(name(7)));
            assertThat(seen).hasSize(20);
            put(engine, name(7), "new");
            assertThat(read(engine, name(7))).as("what is written anew is whole").isEqualTo("new");
        }
    }

    @Test
    void aCounterThatWasChangedIsNotAddedTo() throws Exception {
        fill();
        sql("UPDATE kv SET v = substr(v, 1, 7) || x'99' || substr(v, 9) WHERE k = CAST('sum' AS BLOB)");
        try (var engine = SqliteMetaEngine.open(path())) {
            assertThatThrownBy(() -> add(engine, "sum", 1)).isInstanceOf(MetaDamagedException.class);
            assertThatThrownBy(() -> count(engine, "sum")).isInstanceOf(MetaDamagedException.class);
        }
    }

    /**
     * Wherever in its page a key is changed: the row it belonged to, and every other that a search for it is led astray
     * to, is missed with an error.
     */
    @Test
    void aRowWhoseKeyWasChangedIsNotMissedSilently() throws Exception {
        fill();
        byte[] whole = Files.readAllBytes(path());
        int refused = 0;
        for (int row = 0; row < ROWS; row += 23) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] flipped = whole.clone();
                int at = lastIndexOf(flipped, name(row).getBytes(StandardCharsets.UTF_8));
                flipped[at + 4 + row % 4] ^= (byte) (1 << bit);
                Files.write(path(), flipped);
                try (var engine = SqliteMetaEngine.open(path())) {
                    refused += isRightOrRefused(engine, row) ? 0 : 1;
                    for (int other = 0; other < ROWS; other++) {
                        isRightOrRefused(engine, other);
                    }
                    requireWholeScanOrRefusal(engine);
                }
            }
        }
        assertThat(refused).as("some were where rows are looked for").isGreaterThan(40);
    }

    private static final int FILES = 40;
    private static final int EXTENTS = 3;

    /** Extents of files with the inodes 300, 302 and so on. */
    private void fillFiles() throws Exception {
        try (var engine = SqliteMetaEngine.create(path())) {
            engine.transact(tx -> {
                for (int i = 0; i < FILES; i++) {
                    long ino = 300 + 2L * i;
                    tx.put(Keys.node(ino), new byte[20]);
                    for (int x = 1; x <= EXTENTS; x++) {
                        tx.put(Keys.extent(ino, x * 4096L), ByteBuffer.allocate(40).putLong(ino).putLong(x).array());
                    }
                }
                return null;
            });
        }
    }

    private static List<MetaEngine.Entry> extents(MetaEngine engine, long ino) throws Exception {
        return engine.read(tx -> tx.scan(Keys.extents(ino), Keys.extents(ino).afterPrefix(), 100));
    }

    private static boolean isDamaged(Callable<?> read) throws Exception {
        try {
            read.call();
            return false;
        } catch (MetaDamagedException told) {
            return true;
        }
    }

    private static String hex(MetaKey key) {
        return HexFormat.of().formatHex(key.bytes());
    }

    @Test
    void aRowWhoseValueWasChangedIsNoErrorOfTheFilesBesideIt() throws Exception {
        fillFiles();
        for (int x = 1; x <= EXTENTS; x++) {   // in the end all that the file has
            sql("UPDATE kv SET v = substr(v, 1, 20) || x'99' || substr(v, 22) WHERE k = x'%s'"
                    .formatted(hex(Keys.extent(310, x * 4096L))));
            try (var engine = SqliteMetaEngine.open(path())) {
                for (long ino = 300; ino < 320; ino += 2) {
                    long file = ino;
                    if (file == 310) {
                        assertThat(isDamaged(() -> extents(engine, file))).isTrue();
                    } else {
                        assertThat(extents(engine, file)).as("extents of inode %d", file).hasSize(EXTENTS);
                    }
                }
                assertThat(extents(engine, 309)).isEmpty();
                assertThat(extents(engine, 311)).isEmpty();
                assertThat(engine.<byte[]>read(tx -> tx.get(Keys.extent(308, 1L << 30)))).as("absent, before it")
                        .isNull();
                assertThat(engine.<byte[]>read(tx -> tx.get(Keys.extent(311, 1)))).as("absent, behind it").isNull();
                var several = List.of(Keys.extent(308, 1L << 30), Keys.extent(308, 1L << 31), Keys.extent(312, 4096));
                var found = engine.read(tx -> tx.getAll(several));
                assertThat(found).containsOnlyKeys(Keys.extent(312, 4096));
            }
        }
    }

    /** Every bit of a key of the schema, with a read of each file's rows by themselves: right, or an error. */
    @Test
    void noFileMissesExtentsSilentlyWhateverBitOfAKeyWasChanged() throws Exception {
        fillFiles();
        byte[] whole = Files.readAllBytes(path());
        var key = Keys.extent(332, 2 * 4096);
        int at = lastIndexOf(whole, key.bytes());
        int refused = 0;
        for (int bit = -16; bit < 8 * key.bytes().length; bit++) {   // with the lengths of key and value before it
            byte[] flipped = whole.clone();
            flipped[at + Math.floorDiv(bit, 8)] ^= (byte) (1 << Math.floorMod(bit, 8));
            Files.write(path(), flipped);
            try (var engine = SqliteMetaEngine.open(path())) {
                for (long ino = 300; ino < 300 + 2 * FILES; ino += 2) {
                    long file = ino;
                    boolean damaged =
                            isDamaged(() -> assertThat(extents(engine, file)).as("inode %d", file).hasSize(EXTENTS));
                    damaged |= isDamaged(() -> assertThat(engine.<byte[]>read(
                            tx -> tx.get(Keys.extent(file, 2 * 4096)))).as("inode %d", file).isNotNull());
                    refused += damaged ? 1 : 0;
                }
            }
        }
        assertThat(refused).isGreaterThan(8 * key.bytes().length);
    }

    private static void requireWholeScanOrRefusal(MetaEngine engine) throws Exception {
        try {
            assertThat(scan(engine, "row-", "row.", 1_000)).hasSize(ROWS);
        } catch (MetaDamagedException told) {
            // that is what is promised
        }
    }

    private static boolean isRightOrRefused(MetaEngine engine, int row) throws Exception {
        try {
            assertThat(read(engine, name(row))).isEqualTo("value " + row);
            return true;
        } catch (MetaDamagedException told) {
            return false;
        }
    }

    private static int lastIndexOf(byte[] bytes, byte[] wanted) {
        for (int i = bytes.length - wanted.length; ; i--) {
            if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
    }

    /** As the volsh before wrote it. */
    private void fillOld() throws Exception {
        fill();
        sql("UPDATE kv SET v = substr(v, 1, length(v) - 4)");
        sql("PRAGMA user_version = 1");
    }

    private void requireNew() throws Exception {
        try (var engine = SqliteMetaEngine.open(path())) {
            for (int i = 0; i < ROWS; i++) {
                assertThat(read(engine, name(i))).isEqualTo("value " + i);
            }
            assertThat(count(engine, "sum")).isEqualTo(7);
        }
        assertThat(format()).isEqualTo(4);
        try (var connection = raw(path()); var rows = connection.createStatement()
                .executeQuery("SELECT k, v FROM kv")) {
            while (rows.next()) {
                assertThat(RowChecksum.isSound(rows.getBytes(1), rows.getBytes(2))).isTrue();
            }
        }
    }

    private int format() throws SQLException {
        try (var connection = raw(path()); var rows = connection.createStatement()
                .executeQuery("PRAGMA user_version")) {
            return rows.getInt(1);
        }
    }

    @Test
    void anOldDatabaseGetsItsChecksumsFromTheFirstWhoOpensIt() throws Exception {
        fillOld();
        requireNew();
        requireNew();
    }

    @Test
    void whileOthersHaveAnOldDatabaseOpenItStaysAsItIs() throws Exception {
        fillOld();
        try (var other = raw(path()); var rows = other.createStatement()) {
            rows.executeQuery("SELECT count(*) FROM kv").close();
            try (var engine = SqliteMetaEngine.open(path())) {
                assertThat(read(engine, name(5))).isEqualTo("value 5");
                put(engine, name(0), "value 0");
                assertThat(scan(engine, "row-", "row.", 1_000)).hasSize(ROWS);
                try (var second = SqliteMetaEngine.open(path())) {
                    assertThat(read(second, name(0))).isEqualTo("value 0");
                }
            }
            assertThat(format()).isEqualTo(1);
        }
        requireNew();
    }

    /**
     * What a process that was killed on the way leaves, is a database in the old format, which the next one brings to
     * the new.
     */
    @Test
    void aConversionThatWasCutOffIsBegunAnew() throws Exception {
        fillOld();
        var copy = Files.createDirectory(directory.resolve("copy")).resolve("meta.db");
        try (var connection = raw(path()); var statement = connection.createStatement()) {
            statement.execute("PRAGMA cache_size = 1");
            statement.execute("BEGIN EXCLUSIVE");
            statement.execute("UPDATE kv SET v = v || x'00000000'");
            statement.execute("PRAGMA user_version = 3");
            for (var file : List.of("meta.db", "meta.db-wal")) {
                Files.copy(directory.resolve(file), copy.resolveSibling(file));
            }
            assertThat(Files.size(copy.resolveSibling("meta.db-wal"))).as("it was at it").isPositive();
            statement.execute("ROLLBACK");
        }
        for (var file : List.of("meta.db", "meta.db-wal")) {
            Files.copy(copy.resolveSibling(file), directory.resolve(file),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        requireNew();
    }

    @Test
    void keysOfRowsAreNamedInWords() {
        byte[] entry = new byte[10];
        entry[0] = 'E';
        entry[8] = 5;
        entry[9] = 7;
        assertThat(MetaDamagedException.checksum(MetaKey.of(entry)))
                .hasMessageContaining("entry '\\x07' in the directory with inode 5");
    }
}
