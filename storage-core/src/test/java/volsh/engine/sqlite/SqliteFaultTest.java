package volsh.engine.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.engine.MetaEngineContract.key;
import static volsh.engine.MetaEngineContract.put;
import static volsh.engine.MetaEngineContract.read;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.engine.Race;

/** Files that are not as they should be: refused with the path and what to do, and never overwritten. */
final class SqliteFaultTest {
    @TempDir
    Path directory;

    @Test
    void aDatabaseIsForItsOwnerOnly() throws Exception {
        var path = directory.resolve("meta.db");
        try (var engine = SqliteMetaEngine.create(path)) {
            put(engine, "a", "1");
            try (var files = Files.list(directory)) {
                assertThat(files).hasSize(4).allSatisfy(file -> assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(file))).as(file.toString()).isEqualTo("rw-------"));
            }
        }
        try (var files = Files.list(directory)) {
            assertThat(files).as("a clean close leaves no log")
                    .containsExactlyInAnyOrder(path, directory.resolve("meta.db-tip"));
        }
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(() -> SqliteMetaEngine.open(directory.resolve("none.db")))
                .isInstanceOf(NoSuchFileException.class).hasMessageContaining("none.db").hasMessageContaining("create");
        assertThatThrownBy(() -> SqliteMetaEngine.create(directory.resolve("nowhere/meta.db")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("nowhere").hasMessageContaining("no such directory");
        assertThatThrownBy(() -> SqliteMetaEngine.open(directory)).isInstanceOf(IOException.class);
    }

    @Test
    void nothingIsCreatedOverAFile() throws Exception {
        var path = directory.resolve("meta.db");
        Files.writeString(path, "precious");
        assertThatThrownBy(() -> SqliteMetaEngine.create(path)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(path).hasContent("precious");
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(path);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 50, 100, 1_000, 4_096, 10_000, 40_960, -4_096, -1_000})
    void aTruncatedDatabaseIsRefused(int length) throws Exception {
        byte[] whole = Files.readAllBytes(filled());
        var path = directory.resolve("truncated.db");
        byte[] cut = Arrays.copyOf(whole, length >= 0 ? length : whole.length + length);
        Files.write(path, cut);
        assertThatThrownBy(() -> SqliteMetaEngine.open(path)).isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString()).hasMessageContaining("restore it from a backup");
        assertThat(path).as("untouched").hasBinaryContent(cut);
    }

    @Test
    void garbageIsRefused() throws Exception {
        var path = directory.resolve("garbage.db");
        byte[] garbage = new byte[100_000];
        new SplittableRandom(7).nextBytes(garbage);
        Files.write(path, garbage);
        assertThatThrownBy(() -> SqliteMetaEngine.open(path)).isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString()).hasMessageContaining("metadata corrupt");
        assertThat(path).hasBinaryContent(garbage);
    }

    @Test
    void damagedPagesAreReportedByTheReadThatMeetsThem() throws Exception {
        var path = filled();
        byte[] bytes = Files.readAllBytes(path);
        Arrays.fill(bytes, 3 * 4_096, bytes.length, (byte) 0xa5);
        Files.write(path, bytes);
        assertThatThrownBy(() -> {
            try (var engine = SqliteMetaEngine.open(path)) {
                engine.read(tx -> tx.scan(key("a"), key("z"), 1_000));
            }
        }).isInstanceOf(IOException.class).hasMessageContaining(path.toString())
                .hasMessageContaining("metadata corrupt");
    }

    @Test
    void theDatabaseOfAnotherProgramIsRefused() throws Exception {
        var path = filled();
        execute(path, "PRAGMA application_id = 1");
        assertThatThrownBy(() -> SqliteMetaEngine.open(path)).isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString()).hasMessageContaining("another program");
    }

    @Test
    void aNewerDatabaseIsRefused() throws Exception {
        var path = filled();
        execute(path, "PRAGMA user_version = 5");
        assertThatThrownBy(() -> SqliteMetaEngine.open(path)).isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString()).hasMessageContaining("upgrade volsh");
    }

    @Test
    void theTableMustBeThere() throws Exception {
        var path = filled();
        execute(path, "DROP TABLE kv");
        assertThatThrownBy(() -> SqliteMetaEngine.open(path)).isInstanceOf(IOException.class)
                .hasMessageContaining(path.toString());
    }

    @Test
    void aReadOnlyPlaceIsRefused() throws Exception {
        try (var mount = SmallDisk.mount(directory.resolve("disk"), 2 << 20)) {
            var path = mount.directory().resolve("meta.db");
            SqliteMetaEngine.create(path).close();
            mount.makeReadOnly();
            assertThatThrownBy(() -> SqliteMetaEngine.open(path)).isInstanceOf(IOException.class)
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("make the file and its directory writable");
            assertThatThrownBy(() -> SqliteMetaEngine.create(mount.directory().resolve("new.db")))
                    .isInstanceOf(IOException.class).hasMessageContaining("new.db");
        }
    }

    @Test
    void aFullDiskRefusesWholeTransactionsAndRecovers() throws Exception {
        try (var mount = SmallDisk.mount(directory.resolve("disk"), 4 << 20)) {
            var ballast = Files.write(mount.directory().resolve("ballast"), new byte[1 << 20]);
            try (var engine = SqliteMetaEngine.create(mount.directory().resolve("meta.db"))) {
                int written = fill(engine);
                assertThat(written).isPositive();
                for (int i = 0; i <= written + 1; i++) {
                    assertThat(has(engine, "a" + i)).as("a" + i).isEqualTo(i < written);
                    assertThat(has(engine, "b" + i)).as("b" + i).isEqualTo(i < written);
                }
                Files.delete(ballast);
                put(engine, "after", "1");
                assertThat(read(engine, "after")).isEqualTo("1");
                engine.sync();
            }
            try (var engine = SqliteMetaEngine.open(mount.directory().resolve("meta.db"))) {
                assertThat(read(engine, "after")).isEqualTo("1");
                assertThat(has(engine, "a0")).isTrue();
            }
        }
    }

    /**
     * Commits of several transactions fail and are taken apart: whoever was told of success has it, whoever was not
     * has none.
     */
    @Test
    void aFullDiskLeavesNoDoubtAmongRacers() throws Exception {
        try (var mount = SmallDisk.mount(directory.resolve("disk"), 4 << 20);
                var engine = SqliteMetaEngine.create(mount.directory().resolve("meta.db"))) {
            var written = ConcurrentHashMap.<String>newKeySet();
            var refused = ConcurrentHashMap.<String>newKeySet();
            Race.of(8, 60, (thread, round) -> {
                var name = thread + "-" + round;
                try {
                    writePair(engine, name, 1_000 << thread);
                    written.add(name);
                } catch (IOException full) {
                    assertThat(full).hasMessageContaining("not enough space");
                    refused.add(name);
                }
            });
            assertThat(written).isNotEmpty();
            assertThat(refused).isNotEmpty();
            for (int i = 0; i < 8 * 60; i++) {
                var name = i / 60 + "-" + i % 60;
                assertThat(has(engine, "a" + name)).as("a" + name).isEqualTo(written.contains(name));
                assertThat(has(engine, "b" + name)).as("b" + name).isEqualTo(written.contains(name));
            }
        }
    }

    private static void writePair(SqliteMetaEngine engine, String name, int length) throws IOException {
        engine.transact(tx -> {
            tx.put(key("a" + name), new byte[length]);
            tx.put(key("b" + name), new byte[length]);
            return null;
        });
    }

    /** Writes until the disk is full; returns how many transactions were acknowledged. */
    private static int fill(SqliteMetaEngine engine) {
        for (int number = 0; number < 1_000; number++) {
            try {
                writePair(engine, "" + number, 50_000);
            } catch (IOException full) {
                assertThat(full).hasMessageContaining("not enough space").hasMessageContaining("meta.db");
                return number;
            }
        }
        throw new AssertionError("the disk was never full");
    }

    private static boolean has(SqliteMetaEngine engine, String name) throws IOException {
        return engine.read(tx -> tx.get(key(name)) != null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse", "fuse.sshfs", "fuseblk", "ceph", "lustre"})
    void networkFileSystemsAreRefused(String type) {
        assertThat(DatabaseFile.isShared(type)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "f2fs"})
    void localFileSystemsAreFine(String type) {
        assertThat(DatabaseFile.isShared(type)).isFalse();
    }

    private Path filled() throws IOException {
        var path = directory.resolve("filled.db");
        try (var engine = SqliteMetaEngine.create(path)) {
            for (int i = 0; i < 500; i++) {
                put(engine, "k" + i, "v".repeat(500));
            }
        }
        return path;
    }

    private static void execute(Path path, String statement) throws Exception {
        try (var connection = new SqliteConnections(path).open(0); var execution = connection.createStatement()) {
            execution.execute(statement);
        }
    }
}
