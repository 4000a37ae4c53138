package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.FileKind;
import volsh.inventory.Row;
import volsh.meta.NodeRow;

/**
 * Commands on volumes whose rows say what cannot be: everything else is shown, the damage is named, and the exit code
 * is 7.
 */
@Timeout(120)
final class DamagedMetadataTest {
    private static final int INTEGRITY = 7;

    @TempDir
    Path directory;
    private FileHome home;

    @BeforeEach
    void prepare() throws Exception {
        home = new FileHome(directory);
        home.text("t/d/first", "one");
        home.text("t/d/second", "the weights are 1000");
        home.text("t/d/third", "three");
        home.file("t/d/large", 200_000);
        home.text("t/d/sub/deep", "four");
        home.succeed("put -q -r @t/. data:/");
    }

    private interface Planting {
        void in(MetaEngine.Transaction tx) throws Exception;
    }

    private Path database() throws Exception {
        try (var found = Files.walk(home.local("home"))) {
            return found.filter(path -> path.endsWith("meta.db")).findFirst().orElseThrow();
        }
    }

    private void plant(Planting planting) throws Exception {
        try (var engine = SqliteMetaEngine.open(database())) {
            engine.transact(tx -> {
                try {
                    planting.in(tx);
                } catch (Exception failed) {
                    throw new IllegalStateException(failed);
                }
                return null;
            });
        }
    }

    private static void put(MetaEngine.Transaction tx, Row row) throws Exception {
        tx.put(row.entry().key(), row.entry().value());
    }

    private static Row.Entry entry(MetaEngine.Transaction tx, String name) throws Exception {
        return tx.scan(MetaKey.of((byte) 'E'), MetaKey.of((byte) 'F'), 100).stream().map(Row::of)
                .map(Row.Entry.class::cast)
                .filter(row -> new String(row.name(), StandardCharsets.UTF_8).equals(name)).findFirst().orElseThrow();
    }

    private static Row.Node node(MetaEngine.Transaction tx, long ino) throws Exception {
        var key = MetaKey.of(ByteBuffer.allocate(9).put((byte) 'N').putLong(ino).array());
        return (Row.Node) Row.of(new MetaEngine.Entry(key, tx.get(key)));
    }

    /** Ends with 7 and the hint, shows these and names that. */
    private void damaged(String line, List<String> shown, String named) {
        var ended = home.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(INTEGRITY);
        shown.forEach(word -> assertThat(ended.out()).as(line).contains(word));
        assertThat(ended.err()).as(line).contains("data:/", named, "volsh volume check data")
                .doesNotContain("Exception", "\tat ");
    }

    @Test
    void aDirectoryWithinItselfIsWalkedOnce() throws Exception {
        plant(tx -> {
            var d = entry(tx, "d");
            put(tx, new Row.Entry(d.ino(), "loop".getBytes(StandardCharsets.UTF_8), 1, 1, FileKind.DIRECTORY));
        });
        damaged("du data:/d", List.of("data:/d"), "lies within itself");
        damaged("ls -R data:/d", List.of("first", "sub/deep"), "lies within itself");
        damaged("find data:/d", List.of("data:/d/first", "data:/d/sub/deep"), "lies within itself");
        damaged("get -q -r data:/d @got", List.of(), "lies within itself");
        assertThat(home.local("got/sub/deep")).hasContent("four");
        try (var all = Files.walk(home.local("got"))) {
            assertThat(all.count()).as("nothing is nested").isLessThan(20);
        }
        damaged("cp -q -r data:/d data:/copy", List.of(), "lies within itself");
        damaged("rm -q -y -r data:/d", List.of(), "lies within itself");
    }

    @Test
    void oneImpossibleNameHidesNothingElse() throws Exception {
        for (var name : List.of("..", "a/b", "nul\0", "")) {
            plant(tx -> put(tx, new Row.Entry(entry(tx, "d").ino(), name.getBytes(StandardCharsets.UTF_8), 1, 9,
                    FileKind.REGULAR)));
            damaged("ls data:/d", List.of("first", "large", "second", "sub", "third"),
                    name.equals("nul\0") ? "nul\\x00" : "entry '" + name + "'");
            damaged("get -q -r data:/d @got", List.of(), "damaged");
            assertThat(home.local("got/third")).hasContent("three");
            plant(tx -> tx.delete(new Row.Entry(entry(tx, "d").ino(), name.getBytes(StandardCharsets.UTF_8), 1, 9,
                    FileKind.REGULAR).entry().key()));
        }
        home.succeed("ls data:/d");
    }

    @Test
    void rowsThatCannotBeAreDamageWithThePath() throws Exception {
        plant(tx -> {
            var node = node(tx, entry(tx, "second").ino());
            tx.put(node.entry().key(), Arrays.copyOf(node.entry().value(), 20));
        });
        for (var line : List.of("cat data:/d/second", "stat data:/d/second", "ls -l data:/d/second")) {
            damaged(line, List.of(), "data:/d/second");
        }
        damaged("ls -l data:/d", List.of("first", "third"), "second");
        damaged("get -q -r data:/d @short", List.of(), "second");
        assertThat(home.local("short/third")).hasContent("three");
        assertThat(home.local("short/second")).doesNotExist();
    }

    @Test
    void aNegativeSizeAndABadKindAreDamage() throws Exception {
        plant(tx -> {
            var node = node(tx, entry(tx, "second").ino());
            var row = node.row();
            put(tx, node.with(new NodeRow(row.kind(), row.storage(), row.mode(), row.uid(), row.gid(), row.links(),
                    row.device(), row.project(), row.layout(), row.parent(), -5, row.allocated(), row.atime(),
                    row.mtime(), row.ctime(), row.version())));
            var third = entry(tx, "third").entry();
            byte[] value = third.value().clone();
            value[value.length - 1] = 3;
            tx.put(third.key(), value);
        });
        damaged("get -q data:/d/second @target", List.of(), "size -5");
        assertThat(home.local("target")).doesNotExist();
        damaged("cat data:/d/third", List.of(), "data:/d/third");
        damaged("ls data:/d", List.of("first", "large", "sub"), "third");
    }

    @Test
    void bytesThatAreMissingOrClaimedTwiceAreNotMadeUp() throws Exception {
        plant(tx -> {
            long second = entry(tx, "second").ino();
            tx.delete(MetaKey.of(ByteBuffer.allocate(9).put((byte) 'D').putLong(second).array()));
            long large = entry(tx, "large").ino();
            var runs = tx.scan(MetaKey.of((byte) 'X'), MetaKey.of((byte) 'Y'), 100).stream().map(Row::of)
                    .map(Row.Run.class::cast)
                    .filter(run -> run.ino() == large).toList();
            var last = runs.getLast();
            put(tx, new Row.Run(large, last.end(), last.since(), last.length() + 10, last.block(), 0));
        });
        damaged("cat data:/d/second", List.of(), "missing");
        damaged("get -q data:/d/large @large", List.of(), "overlaps");
        plant(tx -> tx.delete(new Row.Entry(entry(tx, "d").ino(), new byte[] {'f', 'i', 'r', 's', 't'}, 1, 1,
                FileKind.REGULAR).entry().key()));
        damaged("ls data:/d", List.of("second", "third"), "entries");
        damaged("rm -q -y -r data:/d", List.of(), "entries");
    }

    /** What happens to rows on a disk: the value is another, the checksum is not. */
    @Test
    void aFlippedBitIsNeverRead() throws Exception {
        byte[] whole = Files.readAllBytes(database());
        byte[] wanted = "weights are 1000".getBytes(StandardCharsets.UTF_8);
        int at = 0;
        while (!Arrays.equals(whole, at, at + wanted.length, wanted, 0, wanted.length)) {
            at++;
        }
        whole[at + 12] ^= 8;
        Files.write(database(), whole);
        damaged("cat data:/d/second", List.of(), "checksum");
        damaged("get -q -r data:/d @got", List.of(), "second");
        assertThat(home.local("got/third")).hasContent("three");
        assertThat(home.local("got/second")).doesNotExist();
        var check = home.run("volume check data --deep");
        assertThat(check.status()).as(check.out() + check.err()).isEqualTo(INTEGRITY);
        assertThat(check.out() + check.err()).containsOnlyOnce("bytes-unreadable").contains("/d/second");
        home.succeed("rm -q data:/d/second");
        home.succeed("volume check data --deep");
        assertThat(Set.of(home.succeed("ls data:/d").out().split("\n")))
                .containsExactlyInAnyOrder("first", "large", "sub", "third");
    }
}
