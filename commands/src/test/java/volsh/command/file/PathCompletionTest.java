package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.TestHost;
import volsh.command.tree.Commands;
import volsh.volume.Volumes;

/** TAB after VOL:/ lists a directory of the volume, changes nothing, and never fails. */
final class PathCompletionTest {
    @TempDir
    Path directory;

    static List<String> complete(FileHome home, String... words) {
        var line = new ArrayList<>(List.of("__complete", "--shell", "bash", "--"));
        line.addAll(List.of(words));
        var host = new TestHost();
        host.services().with(Volumes.class, home.scratch()::volumes);
        var exit = host.run(Commands.tree(host.services(), Duration.ofSeconds(60)), line.toArray(String[]::new));
        assertThat(exit.status()).as(host.err()).isZero();
        assertThat(host.err()).isEmpty();
        return host.out().lines().map(each -> each.split("\t")[0]).toList();
    }

    @Test
    void volumesThenNames() throws Exception {
        var home = new FileHome(directory);
        home.text("t/images/cat.jpg", "x");
        home.text("t/images/.hidden", "x");
        home.text("t/index", "x");
        home.text("t/readme", "x");
        home.succeed("put -r @t/. data:/");
        var before = home.scratch().files();
        assertThat(complete(home, "ls", "")).containsExactly("data:");
        assertThat(complete(home, "ls", "da")).containsExactly("data:");
        assertThat(complete(home, "ls", "data:")).containsExactly("data:/images/", "data:/index", "data:/readme");
        assertThat(complete(home, "ls", "data:/i")).containsExactly("data:/images/", "data:/index");
        assertThat(complete(home, "ls", "data:/index")).containsExactly("data:/index");
        assertThat(complete(home, "ls", "data:/images/")).containsExactly("data:/images/cat.jpg");
        assertThat(complete(home, "ls", "data:/images/.")).containsExactly("data:/images/.hidden");
        assertThat(complete(home, "rm", "data:/readme", "data:/ima")).containsExactly("data:/images/");
        assertThat(complete(home, "put", "x", "data:/r")).containsExactly("data:/readme", ":files");
        assertThat(complete(home, "get", "data:/r", "./")).containsExactly(":files");
        assertThat(complete(home, "cat", "data:/nope/")).isEmpty();
        assertThat(complete(home, "cat", "data:/readme/")).isEmpty();
        assertThat(complete(home, "cat", "other:/")).isEmpty();
        assertThat(home.scratch().volumes().status("data").sessions()).as("completion registers nowhere").isEmpty();
        assertThat(home.scratch().files().keySet()).isEqualTo(before.keySet());
    }

    @Test
    void aNameFarDownALargeDirectory() throws Exception {
        var home = new FileHome(directory);
        var many = Files.createDirectory(home.local("many"));
        for (int i = 0; i < 1500; i++) {
            Files.createFile(many.resolve("f%04d".formatted(i)));
        }
        home.succeed("put -q -r @many data:/");
        assertThat(complete(home, "cat", "data:/many/f149")).hasSize(10).contains("data:/many/f1499");
    }

    @Test
    void aVolumeThatCannotBeOpenedGivesNothing() throws Exception {
        var home = new FileHome(directory);
        try (var found = Files.walk(directory.resolve("home/state/volumes"))) {
            for (var file : found.filter(path -> path.toString().endsWith(".db")).toList()) {
                Files.writeString(file, "damaged");
            }
        }
        assertThat(complete(home, "cat", "data:/")).isEmpty();
    }
}
