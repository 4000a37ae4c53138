package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static volsh.prompt.AtTerminal.CTRL_C;
import static volsh.prompt.AtTerminal.CTRL_D;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The prompt at a real terminal: keys in, screen out. */
@Timeout(600)
final class PromptTest {
    @TempDir
    Path directory;

    private AtTerminal.Shown type(int rows, int columns, Map<String, String> environment, String... steps)
            throws Exception {
        var terminal = new AtTerminal(directory).size(rows, columns);
        environment.forEach(terminal::with);
        return terminal.type(steps);
    }

    @Test
    void commandsCodeCompletionAndCtrlC() throws Exception {
        var shown = type(40, 100, Map.of(),
                "volsh> ", "volume create training-data\r",
                "created volume", "",
                "volsh> ", "def x = 6\r",
                "volsh> ", "x * 7\r",
                "42", "",
                "volsh> ", "volume sho\ttrai\t",
                "@tab ning-data", "\r",                 // names that come too late for one TAB are there for the next
                "sessions", "",
                "volsh> ", "def f(n) {\r",
                "{> ", "n + 100\r}\r",
                "volsh> ", "f(23)\r",
                "123", "",
                "volsh> ", "println 'spin' + 'ning'; while (true) { }\r",
                "spinning", CTRL_C,
                "cancelled", "",
                "volsh> ", "moutn x /y\r",
                "unknown command 'moutn'", "",
                "volsh> ", "volume list | where { it.blockSize > 1.MiB } | select name | to csv\r",
                "name\r\ntraining-data", "",
                "volsh> ", "half a line",
                "line", CTRL_C,
                "volsh> ", "exit 7\r");
        assertThat(shown.status()).as(shown.screen()).isEqualTo(7);
        assertThat(shown.screen()).doesNotContain("Exception");
    }

    /** A key that completes never runs what it completes: not in commands, not in code. */
    @Test
    void tabRunsNothing() throws Exception {
        var shown = type(24, 100, Map.of(),
                "volsh> ", "volume create keep\r",
                "created volume 'keep'", "",
                "volsh> ", "volume.create('evil').\t\t;",
                ";", CTRL_C,
                "volsh> ", "volume create evil2 \t\t--bl\t",
                "--block-size", CTRL_C,
                "volsh> ", "volume.destroy('keep', confirm: 'keep').\t;",
                ";", CTRL_C,
                "volsh> ", "x = :volume create evil3 \t;",
                ";", CTRL_C,
                "volsh> ", "!touch " + directory.resolve("evil4") + " \t;",
                ";", CTRL_C,
                "volsh> ", "volume list -o csv --columns name\r",
                "keep", "",
                "volsh> ", CTRL_D);
        assertThat(shown.status()).as(shown.screen()).isZero();
        assertThat(directory.resolve("evil4")).doesNotExist();
        try (var catalog = Files.walk(directory.resolve("home"))) {
            assertThat(catalog.map(Path::toString).filter(name -> name.contains("evil"))).isEmpty();
        }
    }

    @Test
    void historyIsPrivateAndHoldsNoSecrets() throws Exception {
        var shown = type(24, 100, Map.of(),
                "volsh> ", "df\r",
                "volsh> ", "def token = 'AKIA123'\r",
                "volsh> ", " volume list -o name\r",
                "volsh> ", "quit\r");
        assertThat(shown.status()).as(shown.screen()).isZero();
        Path history = directory.resolve("home/state/history");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(history))).isEqualTo("rw-------");
        assertThat(Files.readString(history)).contains("df", "quit").doesNotContain("AKIA", "-o name");
    }

    @Test
    void oddTerminalsAreSurvived() throws Exception {
        assertThat(type(0, 0, Map.of("TERM", "dumb", "LC_ALL", "C"), "volsh> ", "= 6 * 7\r", "42", "", "volsh> ",
                "quit\r").status()).isZero();
        assertThat(type(0, 0, Map.of(), "volsh> ", "= 6 * 7\r", "42", "", "volsh> ", "quit\r").status()).isZero();
        var plain = type(24, 20, Map.of("NO_COLOR", "1"), "volsh> ", "version\r", "volsh", "", "volsh> ", "time df\r",
                "took", "", "volsh> ", CTRL_D);
        assertThat(plain.status()).as(plain.screen()).isZero();
        assertThat(plain.screen()).doesNotContain("\u001b[31m").contains("TAB completes, F1 explains");
    }
}
