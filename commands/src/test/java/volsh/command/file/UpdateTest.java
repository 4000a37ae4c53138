package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.run.CommandRunner;
import volsh.command.run.Words;
import volsh.command.tree.Commands;
import volsh.fs.Owner;
import volsh.volume.Volumes;

/** Copies that are repeated or interrupted: what {@code --update} skips, and what a cancelled copy says. */
final class UpdateTest {
    private static final Pattern AGAIN = Pattern.compile("hint: to go on: volsh (.*)");
    private static final int FILES = 300;

    @TempDir
    Path directory;
    private FileHome home;

    @BeforeEach
    void prepare() throws Exception {
        home = new FileHome(directory);
        home.text("my src/a", "a");
        home.text("my src/sub/b", "bb");
        Files.createLink(directory.resolve("my src/link"), directory.resolve("my src/a"));
    }

    @Test
    void updateCopiesOnlyWhatChanged() throws Exception {
        home.succeed("put -r '@my src' data:/t");
        Files.setLastModifiedTime(Files.writeString(directory.resolve("my src/sub/b"), "cc"),
                FileTime.from(Instant.now().plusSeconds(5)));
        home.text("my src/new", "new");
        assertThat(home.succeed("put -r -u '@my src/.' data:/t").err())
                .contains("put 2 files, 5B", "2 files up to date");
        assertThat(home.succeed("put -r -u '@my src/.' data:/t").err()).contains("put 0 files", "4 files up to date");
        assertThat(home.succeed("get -r data:/t @out").err()).contains("get 4 files");
        assertThat(home.succeed("get -r -u data:/t/. @out").err()).contains("get 0 files", "4 files up to date");
        assertThat(home.succeed("cp -r data:/t data:/c").err()).contains("cp 4 files");
        assertThat(home.succeed("cp -r -u data:/t/. data:/c").err()).contains("cp 0 files", "4 files up to date");
        home.succeed("rm data:/c/link");
        home.succeed("cp -r -u data:/t/. data:/c");
        assertThat(home.succeed("stat data:/c/link -o value:links").out()).as("still one file").isEqualTo("2\n");
    }

    @Test
    void theSameLineAgainSaysWhereItGoes() {
        home.succeed("put -r '@my src' 'data:/my src'");
        var again = home.succeed("put -r '@my src' 'data:/my src'").err();
        assertThat(again).contains("warning: data:/my src exists: copying to data:/my src/my src; to update",
                "volsh put -r --update '" + directory + "/my src/.' 'data:/my src'");
    }

    /** The hint, pasted, does the rest. */
    @Test
    void aCancelledCopySaysHowToGoOn() throws Exception {
        for (int i = 0; i < FILES; i++) {
            home.text("my src/sub/f" + i, "x".repeat(i));
        }
        var err = cancelled("put", "-r", directory + "/my src", "data:/t");
        assertThat(err).startsWith("cancelled\n").contains("no copy is incomplete");
        var again = AGAIN.matcher(err);
        assertThat(again.find()).as(err).isTrue();
        assertThat(Words.of(again.group(1))).containsExactly("put", "-r", "--update", directory + "/my src/.",
                "data:/t");
        home.succeed(again.group(1));
        assertThat(home.succeed("du -s data:/t -o value:files").out()).as("a file with two names counts once")
                .isEqualTo(FILES + 2 + "\n");
    }

    private String cancelled(String... words) {
        var host = new TestHost();
        host.services().with(Owner.class, () -> Owner.ROOT).with(Volumes.class, home.scratch()::volumes);
        var stop = new Cancellation();
        stop.request();
        var exit = new CommandRunner(Commands.tree(host.services()), host.host()).run(List.of(words), stop);
        assertThat(exit.status()).isEqualTo(130);
        return host.err();
    }
}
