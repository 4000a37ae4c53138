package volsh.command.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.catalog.Access;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.fs.Name;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.vfs.Vfs;

/** The volume commands through the real tree, on a real home. */
final class VolumeCommandsTest {
    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private void fill(String volume, int bytes) throws IOException {
        try (var opened = scratch.volumes()
                .open(volume, Access.WRITE, "test"); var put = new Put(opened.vfs(), Optional.empty(), 2,
                Observer.NONE)) {
            put.add(Files.write(directory.resolve("big"), new byte[bytes]), Vfs.ROOT, Name.of("big"));
            put.finish();
        }
    }

    @Test
    void createTellsWhatItMade() {
        Ended made =
                ok("volume create a --block-size 1MiB --compression zstd:9 --inline 16KiB --label tier=gold "
                        + "--label team=x");
        assertThat(made.err()).isEqualTo("created volume 'a' (1MiB blocks, zstd:9, store default)\n");
        assertThat(made.out()).as("the sentence says it all").isEmpty();
        assertThat(ok("-n volume create twice -n").out()).startsWith("would create volume 'twice'");
        assertThat(ok("volume list -o name").out()).as("-n given twice is a dry run, too").isEqualTo("a\n");
        assertThat(scratch.run("volume create tiny --quota 10").err()).contains("a quota of 10 bytes is less than one "
                + "block of the volume (4MiB)", "hint: write a unit, such as 10GiB");
        assertThat(ok("volume show a -o json").out()).contains(
                "\"blockSizeBytes\": 1048576", "\"compression\": \"zstd:9\"", "\"inlineBytes\": 16384",
                "{\"team\":\"x\",\"tier\":\"gold\"}",
                "\"usedBytes\": 0", "\"sessions\": []", "\"reason\":\"chosen by hand; profile general has 4MiB\"");
    }

    /** What was chosen by hand stays so, though the profile would have given the same. */
    @Test
    void whereSettingsComeFrom() {
        ok("volume create a --block-size 4MiB");
        var settings = ok("volume show a --explain").out().lines().toList();
        assertThat(settings).anyMatch(line -> line.matches("block-size +4MiB +flag .*chosen by hand"))
                .anyMatch(line -> line.matches("compression .* default .*"))
                .anyMatch(line -> line.matches("store +default +default .*"));
        assertThat(ok("volume show a -o json").out())
                .containsPattern("\"name\":\"block-size\",\"value\":\"4MiB\",\"origin\":\"flag\"");
        ok("volume set a compression=zstd");
        ok("volume rename a b");
        assertThat(ok("volume show b --explain").out().lines())
                .anyMatch(line -> line.matches("compression +zstd\\S* +flag .*"))
                .anyMatch(line -> line.matches("block-size +4MiB +flag .*"));
    }

    /** Whoever wants to be rid of it is told how; others get the same exit code whatever they do with it. */
    @Test
    void damagedMetadata() throws IOException {
        ok("volume create a");
        Path file = Files.write(directory.resolve("file"), new byte[10]);
        try (var found = Files.walk(directory.resolve("home"))) {
            Files.writeString(found.filter(path -> path.endsWith("meta.db")).findFirst().orElseThrow(), "no database");
        }
        for (String line : new String[] {"ls a:/", "put " + file + " a:/x", "volume show a",
                "volume destroy a --confirm a"}) {
            Ended refused = scratch.run(line);
            assertThat(refused.status()).as(line + "\n" + refused.err()).isEqualTo(7);
            assertThat(refused.err()).contains("[META-0007]");
            assertThat(refused.err().contains("hint: to see what --force would destroy: volsh volume destroy a --force "
                    + "--dry-run")).isEqualTo(line.startsWith("volume destroy"));
        }
        ok("volume destroy a --force --confirm a");
        assertThat(ok("volume list -o name").out()).isEmpty();
    }

    @Test
    void flexFsSpellingIsUnderstoodButNotShown() {
        ok("volume create a --blockSize 256KiB --blockStoreID default");
        assertThat(ok("volume show a -o value:blockSizeBytes").out()).isEqualTo("262144\n");
        assertThat(ok("volume create --help").out()).contains("--block-size", "--store")
                .doesNotContain("blockSize", "blockStoreID");
    }

    @Test
    void aVolumeIsCreatedWithItsRetentionAndQuota() {
        assertThat(ok("volume create a --retention 30d --quota 1GiB -n").out())
                .contains("create", "at most 1GiB", "retention of volume 'a'", "30d");
        assertThat(ok("volume list").out()).doesNotContain("a ");
        ok("volume create a --retention 30d --quota 1GiB --label team=vision");
        assertThat(ok("volume show a -o json").out())
                .contains("\"retention\": \"30d\"", "\"historySince\": \"20", "vision");
        assertThat(ok("quota list a -o json").out()).contains("1073741824");
        assertThat(ok("volume ensure b --retention 2d -n").out()).contains("create", "retention of volume 'b'", "2d");
        assertThat(ok("volume ensure b --retention 2d").err()).contains("created");
        assertThat(ok("volume show b -o json").out()).contains("\"retention\": \"2d\"");
        assertThat(ok("volume ensure b --retention 2d").err()).contains("unchanged");
    }

    @Test
    void explainShowsEachSettingItsOriginAndTheReason() {
        assertThat(ok("volume create a --profile video --compression lz4 --explain --no-headers").out().lines())
                .anyMatch(line -> line.matches("store +default +default +never +a directory beside the catalog, .*"))
                .anyMatch(line -> line.matches("block-size +16MiB +profile +never +large files, .*"))
                .anyMatch(line ->
                line.matches("compression +lz4 +flag +any time +chosen by hand; profile video has none"))
                .anyMatch(line -> line.matches("inline +4KiB +profile +any time +hardly any file is this small"))
                .anyMatch(line ->
                        line.matches("ship-metadata +off +default +any time +its metadata is on this machine only"))
                .hasSize(5);
        assertThat(ok("volume show a --explain -o json").out()).contains("\"from\": \"profile\"", "\"from\": \"flag\"");
        assertThat(ok("volume create b --explain -n").out())
                .contains("create", "block-size 4MiB", "a good fit for mixed files");
        assertThat(scratch.run("volume show b").status()).isEqualTo(3);
    }

    @Test
    void ensureConverges() {
        assertThat(ok("volume ensure a --profile images -o value:change").out()).isEqualTo("created\n");
        assertThat(ok("volume ensure a --profile images -o value:change").out()).isEqualTo("unchanged\n");
        assertThat(ok("volume ensure a").err()).isEqualTo("unchanged: volume 'a'\n");
        assertThat(ok("volume ensure a --compression zstd:3 --label tier=gold -o value:change").out())
                .isEqualTo("updated\n");
        assertThat(ok("volume ensure a --compression zstd:3 --label tier=gold -o value:change").out())
                .isEqualTo("unchanged\n");
        assertThat(ok("volume show a -o value:compression").out()).isEqualTo("zstd:3\n");
        Ended other = scratch.run("volume ensure a --profile video --store other");
        assertThat(other.status()).isEqualTo(4);
        assertThat(other.err())
                .contains("block size: is 1MiB, asked for 16MiB", "store: is default, asked for other",
                "hint: volsh volume show a");
        assertThat(scratch.run("volume ensure a -n --exit-code").status()).isZero();
        assertThat(scratch.run("volume ensure a -n --exit-code --compression none").status()).isEqualTo(20);
        assertThat(scratch.run("volume ensure b -n --exit-code").status()).isEqualTo(20);
    }

    @Test
    void listIsTheCatalogAndWideLooksInside() throws Exception {
        assertThat(ok("volume list").err()).contains("volsh volume create");
        ok("volume create b");
        ok("volume create a");
        fill("a", 100_000);
        assertThat(ok("volume list --no-headers --columns name,store").out()).isEqualTo("a  default\nb  default\n");
        assertThat(ok("vol ls -o name").out()).isEqualTo("a\nb\n");
        assertThat(ok("volume list -o json").out()).contains("\"blockSizeBytes\": 4194304").doesNotContain("used");
        assertThat(ok("volume list -o wide").out()).contains("USED", "97.7KiB");
        assertThat(ok("volume list --sort -used --columns name,usedBytes -o csv").out())
                .isEqualTo("name,usedBytes\na,100000\nb,0\n");
    }

    @Test
    void showAndDfTellWhatAVolumeHolds() throws Exception {
        ok("volume create a --block-size 64KiB");
        fill("a", 1_000_000);
        assertThat(ok("volume show a").out()).containsPattern("used +976.6KiB").containsPattern("files +1\n")
                .containsPattern("sessions +-");
        assertThat(ok("df -o json").out())
                .contains("\"volume\": \"a\"", "\"usedBytes\": 1000000", "\"files\": 1",
                        "\"inodes\": 1", "\"freeBytes\": ");
        assertThat(ok("df a").out()).contains("VOLUME", "RATIO", "976.6KiB");
        try (var _ = scratch.volumes().open("a", Access.READ, "epoch 3")) {
            assertThat(ok("volume show a").out()).contains("purpose=epoch 3", "pid=" + ProcessHandle.current().pid());
        }
    }

    @Test
    void setChangesWhatMayChange() {
        ok("volume create a");
        assertThat(ok("volume set a compression=zstd:3 inline=8KiB label.tier=gold -n -o json").out())
                .contains("lz4 -> zstd:3", "4KiB -> 8KiB", "{} -> {tier=gold}");
        assertThat(ok("volume show a -o value:compression").out()).isEqualTo("lz4\n");
        assertThat(ok("volume set a compression=zstd:3 inline=8KiB label.tier=gold").err())
                .contains("set compression of volume 'a' (lz4 -> zstd:3)");
        assertThat(ok("volume set a compression=zstd:3").err()).isEqualTo("unchanged: volume 'a'\n");
        assertThat(ok("volume show a -o json").out()).contains("\"zstd:3\"", "\"inlineBytes\": 8192", "\"gold\"");
        ok("volume set a label.tier=");
        assertThat(ok("volume show a -o json").out()).doesNotContain("gold");
        Ended forLife = scratch.run("volume set a block-size=1MiB");
        assertThat(forLife.status()).isEqualTo(4);
        assertThat(forLife.err()).contains("block size: is 4MiB, asked for 1MiB");
        ok("volume set a block-size=4MiB");
    }

    @Test
    void renameKeepsTheData() throws Exception {
        ok("volume create a --block-size 64KiB");
        fill("a", 200_000);
        assertThat(ok("volume rename a b -n").out()).contains("rename");
        assertThat(ok("volume rename a b").err()).isEqualTo("renamed volume 'a' to 'b'\n");
        assertThat(ok("volume show b -o value:usedBytes").out()).isEqualTo("200000\n");
        assertThat(scratch.run("volume show a").status()).isEqualTo(3);
        try (var opened = scratch.volumes().open("b", Access.READ, "test")) {
            assertThat(opened.spec().name()).isEqualTo("b");
        }
    }

    @Test
    void destroyAsksForTheName() throws Exception {
        ok("volume create a --block-size 64KiB");
        fill("a", 200_000);
        assertThat(ok("volume destroy a -n").out()).contains("destroy", "195.3KiB in 1 file in store default");
        Ended unasked = scratch.run("volume destroy a");
        assertThat(unasked.status()).isEqualTo(2);
        assertThat(unasked.err())
                .contains("not confirmed: destroy volume 'a' with 195.3KiB in 1 file?", "--confirm a");
        assertThat(scratch.run("volume destroy a -y").status()).as("-y is not enough").isEqualTo(2);
        assertThat(scratch.run("volume destroy a --confirm b").status()).isEqualTo(2);
        assertThat(scratch.type("volume destroy a", "y\n").status()).isEqualTo(1);
        assertThat(ok("volume list -o name").out()).isEqualTo("a\n");
        Ended gone = scratch.type("volume destroy a -o json", "a\n");
        assertThat(gone.status()).as(gone.err()).isZero();
        assertThat(gone.out()).contains("\"name\": \"a\"", "\"freedBytes\": ");
        assertThat(scratch.files())
                .containsOnlyKeys("", "state", "state/blocks", "state/catalog", "state/catalog/creating",
                        "state/catalog/destroying", "state/catalog/volumes", "state/volumes");
    }

    @Test
    void destroyRefusesWhatIsInUseUnlessForced() throws Exception {
        ok("volume create a");
        try (var user = scratch.volumes().open("a", Access.WRITE, "epoch 3")) {
            Ended busy = scratch.run("volume destroy a --confirm a");
            assertThat(busy.status()).isEqualTo(5);
            assertThat(busy.err())
                    .contains("volume 'a' is in use", "epoch 3 by process " + ProcessHandle.current().pid(),
                            "volsh volume sessions a");
            ok("volume destroy a --confirm a --force");
            assertThat(scratch.run("volume show a").status()).isEqualTo(3);
            assertThat(user.spec().name()).isEqualTo("a");
        } catch (IOException itsVolumeIsGone) {
            assertThat(itsVolumeIsGone).isNotNull();
        }
    }
}
