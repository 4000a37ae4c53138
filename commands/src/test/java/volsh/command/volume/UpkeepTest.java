package volsh.command.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.engine.MetaEngine;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.hang.Eventually;
import volsh.inventory.Row;
import volsh.inventory.Superblock;
import volsh.meta.Session;
import volsh.meta.Ticks;
import volsh.postgrestest.PostgresServer;

/** {@code volume check}, {@code dump} and {@code load} as a person uses them. */
final class UpkeepTest {
    @TempDir
    Path directory;
    private Scratch machine;

    @BeforeEach
    void aVolume() throws IOException {
        machine = new Scratch(directory.resolve("home"));
        var data = Files.createDirectories(directory.resolve("data/sub"));
        var random = new Random(1);
        for (int i = 0; i < 20; i++) {
            byte[] bytes = new byte[i * 9000];
            random.nextBytes(bytes);
            Files.write(data.resolve("f" + i), bytes);
        }
        ok("volume create train --block-size 64KiB");
        ok("put -r %s train:/".formatted(directory.resolve("data")));
    }

    private Ended ok(String line) {
        return ended(line, 0);
    }

    private Ended ended(String line, int status) {
        var ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    private Path only(Path below, String name) throws IOException {
        try (var files = Files.walk(below)) {
            return files.filter(file -> file.getFileName().toString().matches(name)).findFirst().orElseThrow();
        }
    }

    private void damage(Row row, boolean remove) throws IOException {
        try (var engine = SqliteMetaEngine.open(only(machine.home(), "meta.*db"))) {
            engine.transact(tx -> {
                if (remove) {
                    tx.delete(row.entry().key());
                } else {
                    tx.put(row.entry().key(), row.entry().value());
                }
                return null;
            });
        }
    }

    private Row.Node node(long ino) throws IOException {
        try (var engine = SqliteMetaEngine.open(only(machine.home(), "meta.*db"))) {
            var key = Row.from('N', ino);
            return (Row.Node) Row.of(new MetaEngine.Entry(key, engine.read(tx -> tx.get(key))));
        }
    }

    @Test
    void damageIsShownPlannedAndRepaired() throws IOException {
        assertThat(ok("volume check train --deep").err()).contains("20 files", "found no problem");
        long ino = Long.parseLong(ok("stat train:/data/sub/f9 -o value:inode").out().strip());
        damage(node(ino), true);
        var found = ended("volume check train -o json", 7);
        assertThat(found.out()).contains("\"damage\": \"rows-without-inode\"").contains("inode " + ino, "/data/sub/f9");
        assertThat(ok("volume check train --repair -n").out() + machine.run("volume check train --repair -n").err())
                .contains("rows-without-inode");
        ended("volume check train", 7);
        assertThat(ok("volume check train --repair").out()).contains("repaired").contains("/data/sub/f9");
        ok("volume check train --deep");
        ok("get train:/data/sub/f9 " + directory.resolve("back"));
        assertThat(Files.mismatch(directory.resolve("back"), directory.resolve("data/sub/f9"))).isEqualTo(-1);
        ended("volume check train --repair --path /data", 2);
        ended("volume check train --path /nowhere", 3);
        ended("volume check nothing", 3);
    }

    @Test
    void leakedObjectsAreNamedWhateverElseIsWrong() throws IOException {
        var object = only(machine.home(), "[0-9a-f]{16}");
        // a number that was given out and not used
        var leaked = object.resolveSibling("00000000000003" + object.getParent().getFileName());
        Files.copy(object, leaked);
        Files.setLastModifiedTime(leaked, FileTime.from(Instant.now().minusSeconds(90_000)));
        damage(node(Long.parseLong(ok("stat train:/data/sub/f9 -o value:inode").out().strip())), true);
        var found = ended("volume check train", 7);
        assertThat(found.out()).contains("rows-without-inode", "object-unused", "block " + leaked.getFileName());
        assertThat(found.err()).contains("the store holds unreachable data", "1 object",
                "volsh volume gc train --delete");
    }

    /** Somebody may still read what was deleted: it waits, the store has it, and everybody who is asked says so. */
    @Test
    void whatWaitsToBeReclaimedIsShown() throws IOException {
        Session reader;
        try (var engine = SqliteMetaEngine.open(only(machine.home(), "meta.*db"))) {
            reader = new Superblock(engine, InstantSource.system()).sessions().open("elsewhere", 1, "reads");
        }
        ok("rm -r -y train:/data");
        // it needs what dies from the next second on
        try (var engine = SqliteMetaEngine.open(only(machine.home(), "meta.*db"))) {
            long now = new Ticks(engine, InstantSource.system()).advance();
            new Superblock(engine, InstantSource.system()).sessions().renew(reader, now + 1);
            Eventually.holds("the next second has come", () -> Instant.now().getEpochSecond() > now);
        }
        ok("volume gc train --delete");
        assertThat(ok("df train -o csv --columns used,files,inodes").out()).contains("0,0,0");
        assertThat(ok("df train -o value:stored").out().strip()).isNotEqualTo("0")
                .isEqualTo(ok("df train -o value:reclaimable").out().strip());
        assertThat(ok("volume show train -o json").out())
                .contains("\"reclaimableBlocks\": ", "\"reclaimableMore\": false", "\"reclaimableSince\": \"20");
        assertThat(machine.run("status -o json").out()).contains("waiting to be reclaimed since 20");
        assertThat(ok("volume check train").err())
                .contains("waiting to be reclaimed", "volsh volume gc train --delete");
        try (var engine = SqliteMetaEngine.open(only(machine.home(), "meta.*db"))) {
            new Superblock(engine, InstantSource.system()).sessions().end(reader.id());
        }
        ok("volume gc train --delete");
        assertThat(ok("df train -o value:stored").out().strip()).isEqualTo("0");
        assertThat(ok("volume check train").err()).doesNotContain("reclaimed");
    }

    /** What a repair would leave is told beforehand, and the dry run ends as the repair will. */
    @Test
    void whatCannotBeRepairedIsPlannedToBeLeft() throws IOException {
        damage(node(Long.parseLong(ok("stat train:/data/sub/f9 -o value:inode").out().strip())), true);
        Files.delete(only(machine.home(), "[0-9a-f]{16}"));
        var planned = ended("volume check train --repair --dry-run", 7).out();
        assertThat(planned).containsPattern("(?m)^would repair rows-without-inode")
                .containsPattern("(?m)^would leave object-missing: .*/data/sub/f.*bytes are lost");
        ended("volume check train --repair --dry-run --exit-code", 7);
        assertThat(ended("volume check train --repair", 7).out()).contains("object-missing");
        assertThat(ended("volume check train --repair --dry-run", 7).out()).doesNotContain("would repair")
                .contains("would leave");
    }

    @Test
    void moreFilesThanAreNamedAreCounted() throws IOException {
        for (int i = 1; i <= 11; i++) {
            ok("cp -q train:/data/sub/f19 train:/copy-%d".formatted(i));
        }
        try (var files = Files.walk(machine.home())) {
            for (var block : files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{16}")).toList()) {
                Files.delete(block);
            }
        }
        assertThat(ended("volume check train", 7).out()).contains("; and 4 more files").containsPattern("/copy-\\d");
        assertThat(ended("volume check train -o json", 7).out()).containsPattern("\"files\": ?12\\b")
                .containsPattern("\"files\": ?1\\b");
        assertThat(ended("volume check train --repair --dry-run", 7).out()).contains(" and 4 more; ");
    }

    @Test
    void aDeepCheckNamesTheFile() throws IOException {
        var object = only(machine.home(), "[0-9a-f]{16}");
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 1;
        Files.write(object, bytes);
        ok("volume check train");
        assertThat(ended("volume check train --deep", 7).out()).contains("object-corrupt").contains("/data/sub/f");
    }

    @Test
    void aVolumeInUseIsCheckedAndNotRepaired() throws Exception {
        try (var open = machine.volumes().open("train", Access.WRITE, "a test")) {
            assertThat(open.usage().inodes()).isEqualTo(23);
            ok("volume check train");
            assertThat(ended("volume check train --repair", 5).err()).contains("a test");
        }
        ok("volume check train --repair");
    }

    @Test
    void aVolumeIsMovedToADatabaseAndBack() throws Exception {
        var dump = directory.resolve("train.dump");
        ok("volume dump train " + dump);
        ended("volume dump train " + dump, 4);
        ok("volume dump train %s --force".formatted(dump));
        ok("volume load %s shared --meta %s".formatted(dump, PostgresServer.shared().url()));
        assertThat(ok("volume check shared --deep").err()).contains("20 files");
        var second = directory.resolve("shared.dump");
        ok("volume dump shared " + second);
        ok("volume load %s back".formatted(second));
        ok("volume destroy train --confirm train");
        ok("volume destroy shared --confirm shared");
        ok("volume check back --deep");
        ok("get -r back:/data " + directory.resolve("copy"));
        for (int i = 0; i < 20; i++) {
            assertThat(Files.mismatch(directory.resolve("copy/sub/f" + i), directory.resolve("data/sub/f" + i)))
                    .isEqualTo(-1);
        }
    }

    /** A user's quota counts what was there, refuses what is too much, and goes along with a dump. */
    @Test
    void usersAndGroupsAreLimited() throws IOException {
        int uid = (int) Files.getAttribute(directory, "unix:uid");
        ok("quota set train --user %d 1720000 --inodes 1K".formatted(uid));
        ok("quota set train --group 54321 10MiB");
        assertThat(ok("quota get train --user %d -o json".formatted(uid)).out())
                .contains("\"usedBytes\": 1710000", "\"inodes\": 1000", "\"owner\": \"user ");
        assertThat(ended("put %s train:/more".formatted(directory.resolve("data/sub/f2")), 8).err())
                .contains("quota exceeded");
        assertThat(ok("quota list train").out()).contains("group 54321");
        ended("quota set train:/data --user 5 1GiB", 2);
        ended("quota set train --user 5 --group 5 1GiB", 2);
        assertThat(ended("quota set train --user no-such-user-here 1GiB", 2).err()).contains("no such user");
        ended("quota set train --user 5 --inodes many", 2);
        ended("quota show train --user 77", 3);
        assertThat(ok("quota set train --user 77 1GiB -n").out()).contains("train, user 77");
        ended("quota show train --user 77", 3);
        ok("volume check train");
        ok("volume dump train " + directory.resolve("owners.dump"));
        ok("volume load %s again".formatted(directory.resolve("owners.dump")));
        assertThat(ok("quota show again --user %d -o value:usedBytes".formatted(uid)).out()).isEqualTo("1710000\n");
        ended("put %s again:/more".formatted(directory.resolve("data/sub/f2")), 8);
        ok("quota unset train --user " + uid);
        ok("put %s train:/more".formatted(directory.resolve("data/sub/f2")));
        ok("volume check train");
        ok("volume check again");
    }

    @Test
    void quotasAreSetShownAndLifted() throws IOException {
        ok("volume create small --quota 100KB --block-size 64KiB");
        ended("put -r %s small:/".formatted(directory.resolve("data")), 8);
        assertThat(ok("quota list small -o value:limitBytes").out()).isEqualTo("100000\n");
        assertThat(ok("volume show small -o json").out()).contains("\"quotaBytes\": 100000");
        ok("quota set train:/data/sub 1710000 --inodes 100");
        assertThat(ok("quota show train:/data/sub -o json").out()).contains("\"usedBytes\": 1710000");
        assertThat(ended("put %s train:/data/sub/more".formatted(directory.resolve("data/sub/f1")), 8).err())
                .contains("quota exceeded");
        ended("mv train:/data/sub/f1 train:/f1", 1);
        ended("quota set train", 2);
        ended("quota set train:/data/sub/f1 1GiB", 2);
        ended("quota show train", 3);
        ok("rm train:/data/sub/f2");
        ok("put %s train:/data/sub/more".formatted(directory.resolve("data/sub/f1")));
        assertThat(ok("quota list train").out()).contains("train:/data/sub");
        ok("quota remove train:/data/sub");
        ok("mv train:/data/sub/f1 train:/f1");
        ended("quota remove train:/data/sub", 3);
        ok("volume check train");
    }

    @Test
    void aVolumeIsCountedAndCompacted() {
        assertThat(ok("volume stats train -o json").out()).contains("\"files\": 20", "\"directories\": 3");
        ok("volume compact train --limit 1GiB/s");
        ended("volume compact train --extents 0", 2);
        ended("volume compact train:/absent", 3);
        ended("volume compact train@then:/data", 2);
        assertThat(ok("volume advise train:/data --batch 4 -o json").out())
                .contains("\"topic\": \"shards\"", "\"advice\": \"4MiB\"", "compressed already");
        ok("volume advise " + directory.resolve("data"));
        ended("volume advise train:/absent", 3);
        ended("volume advise " + directory.resolve("absent"), 3);
        ended("volume advise train:/data --batch 0", 2);
        ok("volume check train --deep");
    }

    /** The blocks stay; whoever has the old metadata is not let in. */
    @Test
    void metadataAreMovedToADatabaseAndBack() throws Exception {
        var dump = directory.resolve("train.dump");
        String database = PostgresServer.shared().url() + "#" + PostgresServer.freshName();
        ok("volume dump train " + dump);
        ok("mkdir train:/later");
        assertThat(ended("volume load %s train --move --meta %s".formatted(dump, database), 4).err())
                .contains("changed since");
        ok("mkdir train:/later-still");
        ok("volume dump train %s --force".formatted(dump));
        try (var open = machine.volumes().open("train", Access.WRITE, "a test")) {
            assertThat(open.usage().inodes()).isEqualTo(25);
            ended("volume load %s train --move --meta %s".formatted(dump, database), 5);
        }
        ok("volume load %s train --move --meta %s -n".formatted(dump, database));
        ok("volume load %s train --move --meta %s".formatted(dump, database));
        assertThat(ok("volume show train -o value:meta").out()).startsWith("postgres://");
        ok("volume check train --deep");
        ok("rm -r -y train:/later");
        ended("volume load %s train --move".formatted(dump), 4);
        ok("volume dump train %s --force".formatted(dump));
        ok("volume load %s train --move".formatted(dump));
        ended("volume load %s train --move".formatted(dump), 2);
        ok("volume check train --deep");
        ok("get -r train:/data " + directory.resolve("copy"));
        assertThat(Files.mismatch(directory.resolve("copy/sub/f7"), directory.resolve("data/sub/f7"))).isEqualTo(-1);
    }

    @Test
    void nothingIsLeftOfAWrongDump() throws IOException {
        var dump = directory.resolve("train.dump");
        ok("volume dump train " + dump);
        byte[] right = Files.readAllBytes(dump);
        var cut = directory.resolve("cut.dump");
        long before = files();
        Files.write(cut, Arrays.copyOf(right, right.length - 10));
        assertThat(ended("volume load %s other".formatted(cut), 7).err()).contains("line ");
        Files.write(cut, new byte[0]);
        assertThat(ended("volume load %s other".formatted(cut), 7).err()).contains("line 1");
        ended("volume load %s other".formatted(directory.resolve("none")), 3);
        ended("volume load %s train".formatted(dump), 4);
        assertThat(ok("volume list -o name").out()).isEqualTo("train\n");
        assertThat(files()).as("files in the home").isEqualTo(before);
    }

    private long files() throws IOException {
        try (var all = Files.walk(machine.home())) {
            return all.filter(file -> !file.toString().contains("catalog")).filter(Files::isRegularFile).count();
        }
    }
}
