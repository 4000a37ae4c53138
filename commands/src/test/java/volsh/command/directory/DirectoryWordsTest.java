package volsh.command.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import volsh.catalog.VolumePath;
import volsh.command.RelativePath;
import volsh.command.Services;
import volsh.command.tree.Commands;
import volsh.command.tree.Scratch;

/** Lines of a session stand in a directory of a volume, and paths without a volume are relative to it. */
@Tag("volume")
final class DirectoryWordsTest {
    private static final RelativeWords IN_DS = words("td:/ds");

    @TempDir
    Path directory;

    private Scratch program;

    @BeforeEach
    void files() throws IOException {
        program = new Scratch(directory.resolve("home"));
        Files.createDirectories(directory.resolve("ds/sub"));
        Files.writeString(directory.resolve("ds/a.txt"), "of ds");
        Files.writeString(directory.resolve("ds/sub/b.txt"), "of sub");
        program.ok("volume create td -q");
        program.ok("put -r -q %s td:/".formatted(directory.resolve("ds")));
    }

    private static RelativeWords words(String place) {
        return new RelativeWords(Commands.tree(new Services()).spec(), Optional.of(VolumePath.of(place)));
    }

    private String out(String lines) {
        return program.ok("run -c \"" + lines + "\"").out();
    }

    private String refused(int status, String lines) {
        var ended = program.run("run -c \"" + lines + "\"");
        assertThat(ended.status()).as(lines + "\n" + ended.err()).isEqualTo(status);
        return ended.err();
    }

    @Test
    void oneStandsAndGoes() {
        assertThat(out("use td; ls; cd ds; pwd; ls; cd sub; cat b.txt ../a.txt; cd ..; pwd; cd -; pwd; cd /; pwd"))
                .isEqualTo("ds\ntd:/ds\na.txt\nsub\nof subof dstd:/ds\ntd:/ds/sub\ntd:/\n");
        assertThat(out("cd td; pwd; cd ds/sub/../../ds/; pwd; use td; pwd; cd td:/ds/sub; pwd"))
                .isEqualTo("td:/\ntd:/ds\ntd:/\ntd:/ds/sub\n");
        assertThat(out("use td; cd ..; ls -o name")).as("above a volume there are the volumes").isEqualTo("td\n");
        assertThat(out("use td; cd; ls -o name")).isEqualTo("td\n");
        assertThat(program.ok("ls -o name").out()).as("also as a single command").isEqualTo("td\n");
    }

    @Test
    void everyVerbTakesRelativePaths() throws IOException {
        Path local = Files.writeString(directory.resolve("local.txt"), "of here");
        assertThat(out("use td; cd ds; put -q %s .; cp -q local.txt sub/c.txt; mv sub/c.txt sub/d.txt; mkdir new; "
                .formatted(local) + "ln -s a.txt link; ln a.txt hard; find --name '*.txt' -o name; "
                + "get -q sub/d.txt %s/got; stat -o value:target link".formatted(directory)))
                .isEqualTo("td:/ds/a.txt\ntd:/ds/local.txt\ntd:/ds/sub/b.txt\ntd:/ds/sub/d.txt\na.txt\n");
        assertThat(directory.resolve("got")).hasContent("of here");
        assertThat(out("use td; cd ds; cp -q %s here; cat /ds/here".formatted(local)))
                .as("an absolute path is local where local files are possible, else from the root of the volume")
                .isEqualTo("of here");
        assertThat(out("snapshot create td@v1 -q; rm td:/ds/a.txt; cd td@v1:/ds; cat a.txt; use td; undelete --to x ds"
                + "/a.txt -q; cat x")).endsWith("of dsof ds");
    }

    @Test
    void whatIsRemovedIsShownInFullAndNeverLocal() throws IOException {
        Files.writeString(directory.resolve("a.txt"), "local");
        var ended = program.ok("run -c \"cd td:/ds; rm a.txt; rm -n -r sub\"");
        assertThat(ended.err()).contains("removing td:/ds/a.txt").doesNotContain("removing td:/ds/sub");
        assertThat(ended.out()).contains("td:/ds/sub");
        assertThat(directory.resolve("a.txt")).exists();
        assertThat(refused(2, "cd td:/ds; rm -r -y .")).contains("rm does not take '.'");
        assertThat(refused(2, "cd td:/ds/sub; rm -r -y ../")).contains("rm does not take '../'");
        assertThat(out("ls td:/ds")).isEqualTo("sub\n");
    }

    @Test
    void aDirectoryThatIsGoneIsNamed() {
        assertThat(refused(3, "cd td:/ds/sub; rm -r -y td:/ds/sub; ls"))
                .contains("the working directory td:/ds/sub is gone", "the directory was removed",
                        "hint: to leave it: cd");
        assertThat(refused(3, "cd td:/ds; volume rename td tx -q; cat a.txt"))
                .contains("the working directory td:/ds is gone", "the volume 'td' was destroyed, renamed");
        assertThat(refused(3, "cd tx:/ds; volume destroy tx --confirm tx -q; pwd")).contains("is gone");
    }

    @Test
    void wrongDirectoriesAreExplained() {
        assertThat(refused(3, "cd td:/dss")).contains("td:/dss: no such directory", "hint: cd td:/ds");
        assertThat(refused(1, "cd td:/ds/a.txt")).contains("td:/ds/a.txt: not a directory");
        assertThat(refused(3, "cd td:/; cd td")).contains("td:/td: no such directory", "hint: use td");
        assertThat(refused(2, "cd /ds")).contains("there is no working directory yet");
        assertThat(refused(3, "pwd")).contains("there is no working directory");
        assertThat(refused(2, "use")).contains("use needs a volume");
        assertThat(refused(3, "cd nope")).contains("no such volume: 'nope'");
        assertThat(refused(3, "cd td:/ds; cat nope.txt")).contains("td:/ds/nope.txt").doesNotContain("gone");
        assertThat(program.run("cd td:/ds").err()).contains("a single command has no working directory",
                "hint: volsh -c 'cd td:/ds; ls'");
    }

    /** A job stays where it began; a dry run goes where it would have made a directory. */
    @Test
    void jobsAndDryRuns() {
        assertThat(out("cd td:/ds; find sub --name b.txt -o name & cd /; wait; pwd"))
                .contains("td:/ds/sub/b.txt", "td:/\n");
        assertThat(program.ok("run -n -c \"volume create new; use new; mkdir a; cd a; mkdir b\"").out())
                .contains("would mkdir new:/a/b");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ls a                          | ls td:/ds/a
            ls . .. ./x ../x /x           | ls td:/ds td:/ td:/ds/x td:/x td:/x
            ls -l -- -odd                 | ls -l -- td:/ds/-odd
            ls other:/x td@v1             | ls other:/x td@v1
            ls ./a:b                      | ls td:/ds/a:b
            ls a/../b/                    | ls td:/ds/a/../b/
            ls ../../..                   | ls td:/
            cp a /tmp/x ~/y b             | cp td:/ds/a /tmp/x ~/y td:/ds/b
            put a b c                     | put a b td:/ds/c
            put a                         | put a
            get a b c                     | get td:/ds/a td:/ds/b c
            get a -                       | get td:/ds/a -
            ln -s a b                     | ln -s a td:/ds/b
            ln a b --symbolic             | ln a td:/ds/b --symbolic
            ln a b                        | ln td:/ds/a td:/ds/b
            undelete a --to b             | undelete td:/ds/a --to td:/ds/b
            undelete a --to=b             | undelete td:/ds/a --to=td:/ds/b
            df td . ./x                   | df td td:/ds td:/ds/x
            quota set sub 1GiB            | quota set sub 1GiB
            mount . mnt                   | mount td:/ds mnt
            cache warm a /mnt/x           | cache warm td:/ds/a /mnt/x
            cache evict a ./a             | cache evict a td:/ds/a
            durability wait a             | durability wait td:/ds/a
            stripe get a                  | stripe get td:/ds/a
            volume show a                 | volume show a
            -o json cat a                 | -o json cat td:/ds/a
            job start cp a b              | job start cp td:/ds/a td:/ds/b
            find -o json --name x         | find -o json --name x td:/ds
            ls --help                     | ls --help
            run a.volsh a                 | run a.volsh a
            """)
    void words(String typed, String meant) {
        assertThat(IN_DS.resolved(List.of(typed.split(" ")))).containsExactly(meant.split(" "));
    }

    @Test
    void dotsInFront() {
        var root = VolumePath.of("td:/");
        assertThat(RelativePath.in(root, "..")).hasToString("td:/");
        assertThat(RelativePath.in(root, "a")).hasToString("td:/a");
        assertThat(RelativePath.in(VolumePath.of("td@v1:/x/y"), "../.././z")).hasToString("td@v1:/z");
        assertThat(RelativePath.in(VolumePath.of("td:/x"), "..y")).hasToString("td:/x/..y");
        assertThat(RelativePath.beginning(VolumePath.of("td:/x"), "../")).isEqualTo("td:/");
    }
}
