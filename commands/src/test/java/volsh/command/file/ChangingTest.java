package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** mkdir, ln, mv, cp and rm. */
final class ChangingTest {
    @TempDir
    Path directory;
    private FileHome home;

    @BeforeEach
    void prepare() throws Exception {
        home = new FileHome(directory);
        home.text("a", "a");
        home.file("big", 150_000);
        home.succeed("mkdir data:/d");
        home.succeed("put @a @big data:/");
    }

    /** A dry run says so and does nothing. */
    private void plans(String line, String... words) {
        var before = home.tree();
        assertThat(home.succeed(line + " -n").out()).contains(words);
        assertThat(home.tree()).isEqualTo(before);
        assertThat(home.run(line + " -n --exit-code").status()).isEqualTo(20);
    }

    @Test
    void mkdir() {
        plans("mkdir data:/x", "create", "data:/x");
        home.succeed("mkdir -m 0700 data:/x");
        home.shows("stat data:/x -o value:permissions", "0700\n");
        home.refused("mkdir data:/x", 4, "data:/x: file exists");
        home.refused("mkdir data:/y/z", 3, "data:/y: no such directory", "volsh mkdir -p data:/y");
        home.refused("mkdir -m rwx data:/m", 2, "'rwx' is not an octal mode");
        home.refused("mkdir -p data:/a/b", 1, "data:/a/b: not a directory");
        home.refused("mkdir -p data:/a", 4, "data:/a: file exists");
        plans("mkdir -p data:/p/q/r", "data:/p", "data:/p/q", "data:/p/q/r");
        home.succeed("mkdir -p data:/p/q/r data:/p/q/r");
        home.shows("find data:/p -o name", "data:/p\ndata:/p/q\ndata:/p/q/r\n");
        assertThat(home.succeed("mkdir -p data:/p -n").err()).contains("nothing to do");
    }

    @Test
    void ln() {
        plans("ln data:/a data:/b", "link", "data:/b");
        home.succeed("ln data:/a data:/b");
        home.shows("stat data:/a -o value:links", "2\n");
        home.refused("ln data:/a data:/b", 4, "data:/b: file exists");
        home.succeed("ln -f data:/big data:/b");
        home.shows("stat data:/b -o value:size", "150000\n");
        home.succeed("ln -f data:/big data:/b");
        home.shows("ls data:/", "a\nb\nbig\nd\n");
        home.succeed("ln data:/a data:/d");
        home.shows("ls data:/d", "a\n");
        home.succeed("ln -s ../a data:/d/s");
        home.shows("cat data:/d/s", "a");
        home.succeed("ln -sf nowhere data:/d/s");
        home.shows("stat data:/d/s -o value:target", "nowhere\n");
        home.refused("ln data:/d data:/e", 1, "hard links to directories are not possible", "volsh ln -s /d data:/e");
        home.refused("ln data:/nope data:/e", 3, "error: data:/nope: no such file or directory");
        home.refused("ln other:/a data:/e", 1, "cannot link across volumes");
    }

    @Test
    void mv() {
        plans("mv data:/a data:/b", "move", "data:/a to data:/b");
        home.succeed("mv data:/a data:/b");
        home.succeed("mv data:/b data:/big data:/d");
        home.shows("ls -R data:/", "d\nd/b\nd/big\n");
        home.refused("mv data:/d/b data:/d/big --no-clobber", 4, "data:/d/big: file exists");
        home.succeed("mv data:/d/b data:/d/big");
        home.shows("cat data:/d/big", "a");
        home.succeed("mv data:/d data:/e/");
        home.refused("mv data:/e data:/e/f", 2, "data:/e to data:/e/f: a directory cannot be moved into itself");
        home.refused("mv data:/nope data:/x", 3, "data:/nope: no such file or directory");
        home.refused("mv data:/e/big data:/x data:/y", 3, "data:/y: no such directory");
        home.refused("mv data:/ data:/x", 2, "data:/: cannot rename or remove the root of a volume");
        home.refused("mv data:/e data:/n/o", 3, "data:/n: no such directory");
        home.succeed("volume create other");
        home.refused("mv data:/e other:/", 1, "cannot move across volumes",
                "volsh cp -r data:/e other:/ && volsh rm -r data:/e");
    }

    @Test
    void cpWithinAVolumeMovesNoData() {
        int[] blocks = new int[2];
        home.blocks(path -> blocks[0]++);
        plans("cp data:/big data:/copy", "copy", "data:/big to data:/copy", "no data copied");
        assertThat(home.succeed("cp -v data:/big data:/copy").err())
                .contains("no data is copied", "cp 1 file, 146.5KiB in");
        home.blocks(path -> blocks[1]++);
        assertThat(blocks[1]).isEqualTo(blocks[0]).isPositive();
        home.shows("find data:/ --size 150000 -o name", "data:/big\ndata:/copy\n");
        home.refused("cp data:/big data:/big", 1, "are the same file");
        home.refused("cp data:/d data:/e", 1, "data:/d: is a directory", " -r\n");
        home.refused("cp data:/a data:/big data:/nope", 3, "data:/nope: no such directory");
        home.refused("cp data:/a data:/big/", 1, "data:/big/: not a directory");
        home.succeed("cp data:/a data:/big data:/d");
        home.succeed("cp -r data:/d data:/e");
        home.succeed("cp -r data:/d data:/e");
        home.shows("ls -R data:/e", "a\nbig\nd\nd/a\nd/big\n");
        home.succeed("cp -r data:/d/. data:/");
        home.refused("cp -r data:/d data:/", 1, "are the same file");
    }

    @Test
    void cpBetweenVolumesAndLocalFiles() throws Exception {
        home.succeed("volume create other");
        home.succeed("cp -r data:/ other:/all");
        home.shows("ls other:/all", "a\nbig\nd\n");
        home.succeed("cp other:/all/big @back");
        assertThat(home.local("back")).hasSameBinaryContentAs(home.local("big"));
        home.succeed("cp @a other:/all/local");
        home.shows("cat other:/all/local", "a");
        home.succeed("cp data:/a other:/all/a data:/d");
        home.refused("cp @a @b", 2, "cp needs a path in a volume");
        home.refused("cp @a data:/a other:/", 2, "in one command; use two");
    }

    @Test
    void rm() {
        plans("rm data:/a", "remove", "data:/a", "1B");
        home.succeed("rm data:/a");
        home.refused("rm data:/a", 3, "data:/a: no such file or directory");
        home.succeed("rm -f data:/a data:/nope/deeper");
        home.refused("rm data:/d", 1, "data:/d: is a directory", "volsh rm -r --dry-run data:/d");
        home.succeed("put -r @a @big data:/d");
        plans("rm -r data:/d", "data:/d", "2 files, 146.5KiB");
        home.refused("rm -r data:/d", 2, "not confirmed: remove data:/d and everything below?", "-y");
        assertThat(home.tree()).contains("/d/big");
        home.succeed("rm -r data:/big");
        assertThat(home.scratch().type("rm -r data:/d", "n\n").status()).isEqualTo(1);
        assertThat(home.scratch().type("rm -r data:/d", "y\n").err()).contains("remove data:/d (2 files, 146.5KiB)");
        home.shows("ls data:/", "");
        home.refused("rm -r -y data:/", 2, "data:/: cannot rename or remove the root of a volume");
    }

    @Test
    void linksAreRemovedAndNotWhatTheyLeadTo() {
        home.succeed("ln -s d data:/way");
        home.succeed("put @a data:/d/");
        home.succeed("rm -r data:/way");
        home.shows("ls -R data:/", "a\nbig\nd\nd/a\n");
    }

    @Test
    void spaceComesBack() {
        home.succeed("cp data:/big data:/copy");
        home.succeed("rm data:/big");
        int[] blocks = new int[2];
        home.blocks(path -> blocks[0]++);
        home.succeed("rm data:/copy");
        home.blocks(path -> blocks[1]++);
        assertThat(blocks).containsExactly(3, 0);
    }

    @Test
    void programsAreToldWhatChanged() {
        home.shows("mkdir -p data:/x/y -o json", "[\n  {\"path\": \"data:/x\"},\n  {\"path\": \"data:/x/y\"}\n]\n");
        home.shows("mv data:/a data:/x -o jsonl", "{\"to\": \"data:/x/a\", \"from\": \"data:/a\"}\n");
        home.shows("ln -s x/a data:/l -o csv", "path,target,symbolic\ndata:/l,x/a,true\n");
        home.shows("rm -r -y data:/x -o csv", "path,files,directories,sizeBytes\ndata:/x,1,2,1\n");
        home.shows("cp -q data:/big data:/l -o value:files", "1\n");
    }
}
