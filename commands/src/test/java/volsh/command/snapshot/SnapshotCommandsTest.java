package volsh.command.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** The commands that go back in time through the real tree, on a real home. */
final class SnapshotCommandsTest {
    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void fill() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        ok("volume create data --retention -1");
        Files.createDirectories(directory.resolve("t/sub"));
        Files.writeString(directory.resolve("t/a"), "one");
        Files.writeString(directory.resolve("t/sub/b"), "b".repeat(10_000));
        ok("put -r " + directory.resolve("t") + " data:/t");
        ok("snapshot create data@v1 --label 'before it changed'");
    }

    private Ended ok(String line) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    private Ended refused(String line, int status, String words) {
        Ended ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(status);
        assertThat(ended.err()).contains(words);
        assertThat(ended.err().lines().filter(each -> each.startsWith("hint: "))).as("can be pasted")
                .noneMatch(each -> each.matches(".*[()<>|;&].*"));
        return ended;
    }

    private void change() throws IOException {
        Files.writeString(directory.resolve("t/a"), "second");
        ok("put %s data:/t/a".formatted(directory.resolve("t/a")));
        ok("rm -r -y data:/t/sub");
        ok("mkdir data:/new");
    }

    @Test
    void everyReadingCommandReadsASnapshot() throws IOException {
        change();
        assertThat(ok("cat data@v1:/t/a").out()).isEqualTo("one");
        assertThat(ok("cat data:/t/a --at @v1").out()).isEqualTo("one");
        assertThat(ok("cat data:/t/a").out()).isEqualTo("second");
        assertThat(ok("ls -R data@v1").out()).isEqualTo("t\nt/a\nt/sub\nt/sub/b\n");
        assertThat(ok("find data@v1:/ -o name").out()).contains("data@v1:/t/sub/b");
        assertThat(ok("du data@v1:/t -o json").out()).contains("10003");
        assertThat(ok("stat data@v1:/t/sub/b -o json").out())
                .contains("\"sizeBytes\": 10000", "\"path\": \"data@v1:/t/sub/b\"");
        ok("get -r data@v1:/t %s".formatted(directory.resolve("back")));
        assertThat(directory.resolve("back/sub/b")).hasContent("b".repeat(10_000));
        ok("cp -r data@v1:/t data:/copied");
        assertThat(ok("cat data:/copied/a").out()).isEqualTo("one");
        refused("rm data@v1:/t/a", 9, "data@v1:/t/a: snapshots and past states are read-only");
        refused("cp data:/t/a data@v1:/t/c", 9, "snapshots and past states are read-only");
        refused("ln data@v1:/t/a data:/link", 9, "snapshots and past states are read-only");
        refused("mv data@v1:/t/a data:/b", 9, "snapshots and past states are read-only");
        refused("durability data@v1:/t/a", 2, "data@v1:/t/a is in the past");
        refused("ls data@v2:/", 3, "volume 'data' has no snapshot 'v2'");
        refused("ls data@v1:/ --at -1h", 2, "leave out --at or the @");
    }

    @Test
    void timesAreReadAsPeopleWriteThem() {
        var now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        assertThat(ok("ls data:/ --at " + now).out()).isEqualTo("t\n");
        refused("ls -1 data:/ --at -1h", 3, "the history of volume 'data' begins at ");   // -1 is an option, -1h a time
        refused("ls data:/ --at 2000-01-01", 3, "2000-01-01T00:00:00Z cannot be read");
        refused("ls data:/ --at 2100-01-01T00:00Z", 2, "2100-01-01T00:00:00Z is in the future");
        refused("ls data:/ --at yesterday", 2, "not a time: 'yesterday' (try 2026-11-01T10:00Z, -2h or @SNAPSHOT)");
        refused("ls data:/ --at", 2, "--at");
    }

    @Test
    void snapshotsAreMadeListedShownPrunedAndDestroyed() {
        ok("snapshot create data@v2");
        refused("snapshot create data@v2", 4, "volume 'data' has a snapshot 'v2' already");
        refused("snapshot create data", 2, "'data' is not a snapshot");
        refused("snapshot create data@-x", 2, "invalid snapshot name: '-x'");
        assertThat(ok("snapshot list data -o name").out()).isEqualTo("data@v1\ndata@v2\n");
        assertThat(ok("snapshot list -o json").out()).contains("\"label\": \"before it changed\"");
        assertThat(ok("snapshot show data@v1 -o json").out()).contains("\"files\": 2", "\"usedBytes\": 10003");
        assertThat(ok("snapshot prune data --keep last=1 -n").out()).contains("snapshot data@v1")
                .doesNotContain("data@v2");
        assertThat(ok("snapshot prune data --keep last=1 --prefix x -n").out()).doesNotContain("data@");
        ok("snapshot prune data --keep last=1 -y");
        assertThat(ok("snapshot prune data --keep last=1").err()).contains("nothing to destroy");
        assertThat(ok("snapshot list data -o name").out()).isEqualTo("data@v2\n");
        refused("snapshot destroy data@v2", 2, "not confirmed");
        ok("snapshot destroy data@v2 -y");
        refused("snapshot destroy data@v2 -y", 3, "volume 'data' has no snapshot 'v2'");
        refused("snapshot prune data --keep best=loss:min:1 -n", 2, "rule 'best' applies to checkpoints only");
    }

    @Test
    void whatChangedIsShown() throws IOException {
        change();
        assertThat(ok("snapshot diff data@v1 data -o csv").out()).contains(
                "added,/new,", "changed,/t/a,3,6", "removed,/t/sub,", "removed,/t/sub/b,10000,");
        var same = ok("snapshot diff data@v1 data@v1 -o csv");
        assertThat(same.out().lines()).hasSize(1);
        assertThat(same.err()).isEqualTo("no differences between data@v1:/ and data@v1:/\n");
        assertThat(ok("snapshot diff data@v1 data@v1 -o json").out()).isEqualTo("[]\n");
        assertThat(ok("snapshot diff data@v1 data").err()).isEmpty();
        assertThat(ok("snapshot diff data@v1:/t/sub data@v1:/t -o csv").out()).contains("added,/a,");
        refused("snapshot diff data@v1:/t/a", 2, "is not a directory");
        assertThat(ok("history data:/t/a -o csv").out()).contains(",made,3,0644", ",replaced,6,0644");
        assertThat(ok("history data:/t/sub/b -o csv").out()).contains(",made,10000,", ",deleted,");
        refused("history data:/never", 3, "data:/never: no current or past file has this name");
    }

    @Test
    void whatIsGoneComesBack() throws IOException {
        change();
        assertThat(ok("undelete data:/t/sub -n").out()).contains("1 file,");
        ok("undelete data:/t/sub");
        assertThat(ok("cat data:/t/sub/b").out()).hasSize(10_000);
        refused("undelete data:/t/sub", 4, "data:/t/sub: file exists");
        refused("undelete data:/no/thing", 3, "its directory is deleted, too");
        assertThat(refused("undelete data:/nothing", 3, "no past version of this name is kept").err())
                .contains("volsh volume show data\n");
        ok("rm -y data:/t/a");
        refused("undelete data:/t/sub/b --at @v1", 4, "file exists");
        assertThat(refused("undelete data:/new --at @v1", 3, "data@v1:/new: did not exist then; readable from ").err())
                .contains("hint: volsh undelete data:/new --at 20");
        ok("undelete data:/t/a");
        refused("snapshot restore data:/t/a -y", 2, "missing snapshot or time");
        refused("snapshot restore data@v1:/t/a", 2, "not confirmed");
        ok("snapshot restore data@v1:/t/a -y");
        assertThat(ok("cat data:/t/a").out()).isEqualTo("one");
        assertThat(ok("snapshot restore data@v1 -n").out()).contains("data@v1:/ as data:/");
        ok("snapshot restore data@v1 -y");
        assertThat(ok("ls -R data:/").out()).isEqualTo("t\nt/a\nt/sub\nt/sub/b\n");
    }

    /** Each of these lines is one process for a user, and takes much less than a second here. */
    @Test
    void whatWasWrittenAndDeletedAtOnceComesBack() throws IOException {
        for (String last : new String[] {"two", "three".repeat(2_000)}) {
            Files.writeString(directory.resolve("last"), last);
            ok("put %s data:/t/a".formatted(directory.resolve("last")));
            ok("rm -y data:/t/a");
            ok("undelete data:/t/a");
            assertThat(ok("cat data:/t/a").out()).isEqualTo(last);
            ok("put %s data:/short".formatted(directory.resolve("last")));
            ok("rm -y data:/short");
            assertThat(ok("history data:/short -o csv").out())
                    .contains(",made,%d,".formatted(last.length()), ",deleted,");
            ok("undelete data:/short --to data:/kept");
            assertThat(ok("cat data:/kept").out()).isEqualTo(last);
            ok("rm -y data:/kept");
        }
        ok("rm -r -y data:/t");
        ok("undelete data:/t");
        assertThat(ok("cat data:/t/a").out()).isEqualTo("three".repeat(2_000));
        refused("undelete data:/short --inode 999999", 3, "no past version of inode 999999 is kept under this name");
        refused("undelete data:/short --inode 7 --at -1s", 2, "--inode and --at exclude each other");
    }

    @Test
    void clonesShareTheirData() {
        var made = ok("clone data:/t data:/t2 -v");
        assertThat(made.err()).contains("cloned data:/t2 from data:/t (2 files, 9.8KiB, no data copied)");
        ok("snapshot clone data@v1 data:/all");
        assertThat(ok("ls -R data:/").out()).contains("all/t/sub/b", "t2/sub/b");
        refused("clone data:/t data:/t2", 4, "data:/t2: file exists");
        refused("clone data:/t other:/t2", 2, "volsh cp -r data:/t other:/t2");
        refused("clone data:/none data:/t3", 3, "/none");
        refused("clone data:/t data@v1:/t3", 9, "snapshots and past states are read-only");
    }

    @Test
    void retentionIsSetAndShownAndGarbageIsCollected() throws IOException {
        assertThat(ok("volume show data -o json").out()).contains("\"retention\": \"-1\"", "\"historySince\": \"20");
        change();
        assertThat(ok("volume gc data -o json").out()).contains("\"deleted\": false", "\"versions\": 0");
        assertThat(ok("volume set data retention=0 -n").out()).contains("retention of volume 'data'", "-1 -> 0");
        ok("volume set data retention=0");
        ok("snapshot destroy data@v1 -y");
        assertThat(ok("volume gc data").err()).startsWith("unreachable (--delete deletes it): ")
                .doesNotContain(" 0 old versions");
        ok("volume gc data --delete");
        assertThat(ok("volume gc data -o json").out()).contains("\"versions\": 0", "\"blocks\": 0", "\"objects\": 0");
        refused("ls data:/ --at -0s", 3, "volume 'data' keeps no history but its snapshots");
        refused("volume set data retention=soon", 2, "not a retention: 'soon' (try 30d, 0 for none, -1 for ever)");
        assertThat(ok("volume ensure data --retention 2d").err()).contains("updated");
        assertThat(ok("volume ensure data --retention 2d").err()).contains("unchanged");
        assertThat(ok("volume show data -o json").out()).contains("\"retention\": \"2d\"");
    }
}
