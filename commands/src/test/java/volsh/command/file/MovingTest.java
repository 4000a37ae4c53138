package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.run.CommandRunner;
import volsh.command.tree.Commands;
import volsh.fs.Owner;
import volsh.volume.Volumes;

/** put and get. */
final class MovingTest {
    @TempDir
    Path directory;
    private FileHome home;

    @BeforeEach
    void prepare() throws Exception {
        home = new FileHome(directory);
        home.text("src/a", "a");
        home.file("src/sub/big", 150_000);
        home.text("one", "1");
    }

    @Test
    void putGoesWhereCpWouldGo() {
        home.succeed("put @one data:/name");
        home.succeed("put @one data:/");
        home.succeed("mkdir data:/dir");
        home.succeed("put @one @src/a data:/dir");
        home.succeed("put -r @src data:/dir");
        home.succeed("put -r @src data:/new");
        home.succeed("put -r @src/. data:/dir/");
        home.succeed("put -r @src/. data:/made");
        assertThat(home.tree()).isEqualTo("""
                /dir 4096
                /dir/a 1
                /dir/one 1
                /dir/src 4096
                /dir/src/a 1
                /dir/src/sub 4096
                /dir/src/sub/big 150000
                /dir/sub 4096
                /dir/sub/big 150000
                /made 4096
                /made/a 1
                /made/sub 4096
                /made/sub/big 150000
                /name 1
                /new 4096
                /new/a 1
                /new/sub 4096
                /new/sub/big 150000
                /one 1
                """);
    }

    @Test
    void putRefusesWhatCpWouldRefuse() {
        home.refused("put @src data:/", 1, "src: is a directory", " -r\n");
        home.refused("put @one data:/no/where", 3, "data:/no: no such directory", "volsh mkdir -p data:/no");
        home.refused("put @one data:/new/", 3, "data:/new/: no such directory", "volsh mkdir -p data:/new/");
        home.refused("put @one @src/a data:/both", 3, "data:/both: no such directory");
        home.refused("put @none data:/", 3, "none: no such file or directory");
        home.refused("put @one nope:/", 3, "no such volume: 'nope'");
        home.refused("put @one @two", 2, "is not a path in a volume", "volsh volume list");
        home.refused("put data:/x data:/y", 2, "the source of put is a local file", "volsh cp -r data:/x data:/y");
        home.refused("put - data:/", 1, "data:/: is a directory", "append a file name: data:/stdin");
        home.refused("put - @one data:/x", 2, "must be the only source");
        home.refused("put @one data:/ --parallel 0", 2, "--parallel must be from 1 to 32");
        home.refused("put @one", 2, "missing target");
        assertThat(home.tree()).isEmpty();
    }

    @Test
    void putPlansAndReports() throws Exception {
        assertThat(home.succeed("put -r @src data:/ -n").out())
                .contains("copy", "src to data:/src", "2 files, 146.5KiB");
        assertThat(home.tree()).isEmpty();
        assertThat(home.succeed("put -r @src data:/").err()).matches("put 2 files, 146\\.5KiB in \\d+\\.\\d+s.*\n");
        assertThat(home.succeed("put -r @src data:/").out()).isEmpty();
        assertThat(home.succeed("put -q -r @src data:/ -o json").out())
                .contains("\"files\": 2", "\"directories\": 2", "\"sizeBytes\": 150001", "\"failed\": 0",
                "\"tookSeconds\": ");
    }

    @Test
    void standardInputAndOutput() throws Exception {
        var host = new TestHost().typing("from a pipe");
        host.services().with(Owner.class, () -> new Owner(7, 8)).with(Volumes.class, home.scratch()::volumes);
        assertThat(host.run(Commands.tree(host.services()), "put", "-", "data:/piped").status()).as(host.err())
                .isZero();
        home.shows("get data:/piped -", "from a pipe");
        home.shows("stat data:/piped -o value:uid", "7\n");
        home.refused("get -r data:/ -", 1, "standard output accepts only files");
    }

    @Test
    void linksNamedByTheUserAreFollowedUnlessTreesAreCopied() throws Exception {
        Files.createSymbolicLink(home.local("way"), Path.of("src"));
        Files.createSymbolicLink(home.local("latest"), Path.of("one"));
        home.succeed("put @latest data:/");
        home.shows("stat data:/latest -o value:type", "file\n");
        home.succeed("put -r @latest data:/link");
        home.shows("stat data:/link -o value:type", "link\n");
        home.refused("put @way data:/", 1, "way: is a directory");
        home.refused("put @one data:/latest/x", 1, "error: data:/latest/x: not a directory");
        home.succeed("put -r @way/ data:/tree");
        home.shows("ls data:/tree", "a\nsub\n");
        home.succeed("ln -s latest data:/l");
        home.succeed("get data:/l @l");
        assertThat(home.local("l")).isRegularFile().hasContent("1");
        home.succeed("get -r data:/l @ll");
        assertThat(Files.isSymbolicLink(home.local("ll"))).isTrue();
    }

    @Test
    void getGoesWhereCpWouldGo() throws Exception {
        home.succeed("put -r @src @one data:/");
        Files.createDirectory(home.local("out"));
        home.succeed("get data:/one @out");
        home.succeed("get data:/one @out/name");
        home.succeed("get -r data:/src @out/new");
        home.succeed("get -r data:/src @out");
        home.succeed("get -r data:/ @all");
        home.succeed("get data:/one data:/src/a @out/src/sub/");
        assertThat(home.local("out/one")).hasContent("1");
        assertThat(home.local("out/name")).hasContent("1");
        assertThat(home.local("out/new/sub/big")).hasSameBinaryContentAs(home.local("src/sub/big"));
        assertThat(home.local("out/src/a")).hasContent("a");
        assertThat(home.local("all/src/a")).hasContent("a");
        assertThat(home.local("out/src/sub/one")).hasContent("1");
        home.refused("get data:/src @out", 1, "data:/src: is a directory", " -r\n");
        home.refused("get data:/one @no/where", 3, "no: no such directory");
        home.refused("get data:/one @new/", 3, "new: no such directory");
        home.refused("get data:/nope @x", 3, "data:/nope: no such file or directory");
        home.refused("get data:/one data:/two", 2, "the target of get is a local file");
        home.refused("get @one @two", 2, "is not a path in a volume");
        assertThat(home.succeed("get -r data:/src @out -n").out()).contains("data:/src to ", "out/src", "2 files");
    }

    /** As GNU cp does: what the user names may be a link to a directory, a link inside the tree is in the way. */
    @Test
    void aLinkInTheTargetIsNeverFollowed() throws Exception {
        home.succeed("put -r @src data:/");
        Path victim = Files.createDirectory(home.local("victim"));
        Path out = Files.createDirectory(home.local("out"));
        Files.createSymbolicLink(home.local("named"), Path.of("out"));
        home.succeed("get -r data:/src @named");
        assertThat(out.resolve("src/a")).as("a link that the user names").hasContent("a");

        Files.delete(out.resolve("src/sub/big"));
        Files.delete(out.resolve("src/sub"));
        Files.createSymbolicLink(out.resolve("src/sub"), victim);
        Files.writeString(victim.resolve("precious"), "data");
        Files.delete(out.resolve("src/a"));
        Files.createSymbolicLink(out.resolve("src/a"), victim.resolve("precious"));
        for (String line : new String[] {"get -r data:/src @out", "cp -r data:/src @out",
                "get -r data:/src/. @out/src"}) {
            var ended = home.run(line);
            assertThat(ended.status()).as(line).isEqualTo(10);
            assertThat(ended.err())
                    .contains("out/src/sub: ", "a symbolic link has the name of the directory, and is not followed");
        }
        assertThat(victim.resolve("precious")).as("a file in place of a link replaces the link").hasContent("data");
        assertThat(out.resolve("src/a")).isRegularFile().hasContent("a");
        assertThat(Files.isSymbolicLink(out.resolve("src/a"))).isFalse();
        assertThat(Files.list(victim).toList()).containsExactly(victim.resolve("precious"));

        Files.createSymbolicLink(home.local("top"), victim);
        home.succeed("get -r data:/src @top");
        assertThat(victim.resolve("src/a")).as("into the directory that the link leads to, as the user said")
                .hasContent("a");
        Path second = Files.createDirectory(home.local("second"));
        Files.createSymbolicLink(second.resolve("src"), victim);
        home.refused("get -r data:/src @second", 1, "second/src: a symbolic link has the name of the directory");
    }

    @Test
    void someFilesFailAndTheRestIsCopied() throws Exception {
        new ProcessBuilder("mkfifo", home.local("src/pipe").toString()).start().waitFor();
        var ended = home.run("put -r @src data:/");
        assertThat(ended.status()).isEqualTo(10);
        assertThat(ended.err())
                .contains("warning: " + home.local("src/pipe") + ": a fifo is not copied", "put 2 files",
                "; 1 file failed");
        home.shows("ls data:/src", "a\nsub\n");
        assertThat(home.run("put -q -r @src data:/ -o json").out()).contains("\"failed\": 1");
        home.refused("put @src/pipe data:/", 1, "pipe: a fifo is not copied");
        Files.createDirectories(home.local("out/src/a"));
        var back = home.run("get -r data:/src @out");
        assertThat(back.status()).isEqualTo(10);
        assertThat(back.err()).contains("out/src/a: ", "1 file failed");
        assertThat(home.local("out/src/sub/big")).exists();
    }

    @Test
    void ctrlCStopsBeforeAnythingIsThere() {
        var host = new TestHost();
        host.services().with(Owner.class, () -> Owner.ROOT).with(Volumes.class, home.scratch()::volumes);
        var stop = new Cancellation();
        stop.request();
        var words = java.util.List.of("put", "-r", home.here("@src"), "data:/");
        var exit = new CommandRunner(Commands.tree(host.services()), host.host()).run(words, stop);
        assertThat(exit.status()).isEqualTo(130);
        assertThat(home.tree()).doesNotContain("big");
    }

    @Test
    void ownersComeAlongOnlyIfAsked() throws Exception {
        var host = new TestHost();
        host.services().with(Owner.class, () -> new Owner(42, 43)).with(Volumes.class, home.scratch()::volumes);
        assertThat(host.run(Commands.tree(host.services()), "put", home.here("@one"), "data:/mine").status()).isZero();
        home.shows("stat data:/mine -o value:uid", "42\n");
        int uid = (int) Files.getAttribute(home.local("one"), "unix:uid");
        assertThat(host.run(Commands.tree(host.services()), "put", "-p", home.here("@one"), "data:/theirs").status())
                .isZero();
        home.shows("stat data:/theirs -o value:uid", uid + "\n");
    }

    @Test
    void aLocalFileMayHaveAColon() throws Exception {
        home.text("10:30 photo", "x");
        home.succeed("put '@10:30 photo' data:/");
        home.shows("ls data:/", "10:30 photo\n");
        home.succeed("get 'data:/10:30 photo' '@Back at: ten'");
        assertThat(home.local("Back at: ten")).hasContent("x");
    }
}
