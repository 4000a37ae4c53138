package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The prompt at a real terminal: keys in, screen out. */
@Timeout(180)
final class PromptTest {
    private static final String CTRL_C = "\u0003";
    private static final String CTRL_D = "\u0004";

    @TempDir
    Path directory;

    private record Shown(int status, String screen) {}

    /** Types the keys of each pair when its text has been shown, in a terminal of this kind. */
    private Shown type(int rows, int columns, Map<String, String> environment, String... steps) throws Exception {
        Path typist = directory.resolve("typist.py");
        try (var script = PromptTest.class.getResourceAsStream("typist.py")) {
            Files.write(typist, script.readAllBytes());
        }
        String path = Stream.of(System.getProperty("java.class.path").split(":"))
                .map(entry -> Path.of(entry).toAbsolutePath().toString()).collect(Collectors.joining(":"));
        var words = new ArrayList<>(List.of("python3", typist.toString(), "" + rows, "" + columns, json(steps), "--",
                ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", "-cp", path, "volsh.shell.Main"));
        var builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("COLUMNS", "LINES", "NO_COLOR", "CLICOLOR", "FORCE_COLOR"));
        builder.environment().put("VOLSH_HOME", directory.resolve("home").toString());
        builder.environment().put("TERM", "xterm-256color");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String screen = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Shown(process.waitFor(), screen);
    }

    private static String json(String... steps) {
        var pairs = new ArrayList<List<String>>();
        for (int i = 0; i < steps.length; i += 2) {
            pairs.add(List.of(steps[i], steps[i + 1]));
        }
        return volsh.command.render.Json.of(pairs);
    }

    @Test
    void commandsCodeCompletionAndCtrlC() throws Exception {
        var shown = type(24, 100, Map.of(),
                "volsh> ", "volume create training-data\r",
                "created volume", "",
                "volsh> ", "def x = 6\r",
                "volsh> ", "x * 7\r",
                "42", "",
                "volsh> ", "volume sho\ttrai\t\r",
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
                "volsh> ", "volume create keep -q\r",
                "block-size", "",
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
        assertThat(type(0, 0, Map.of("TERM", "dumb", "LC_ALL", "C"), "volsh> ", "= 6 * 7\r", "42", "", "volsh> ", "quit\r").status()).isZero();
        assertThat(type(0, 0, Map.of(), "volsh> ", "= 6 * 7\r", "42", "", "volsh> ", "quit\r").status()).isZero();
        var plain = type(24, 20, Map.of("NO_COLOR", "1"), "volsh> ", "version\r", "volsh", "", "volsh> ", "time df\r", "took", "", "volsh> ", CTRL_D);
        assertThat(plain.status()).as(plain.screen()).isZero();
        assertThat(plain.screen()).doesNotContain("\u001b[31m");
    }
}
