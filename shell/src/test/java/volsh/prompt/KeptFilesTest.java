package volsh.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.failure.CommandFailure;
import volsh.unit.Span;

/** What a prompt keeps for the next one, and what it refuses to keep or to run. */
final class KeptFilesTest {
    @TempDir
    Path directory;

    private PromptHistory history(int most) throws IOException {
        var history = new PromptHistory(PrivateFile.ready(directory.resolve("history")));
        LineReader reader = LineReaderBuilder.builder()
                .terminal(new DumbTerminal(System.in, java.io.OutputStream.nullOutputStream())).history(history)
                .variable(LineReader.HISTORY_FILE, history.file()).variable(LineReader.HISTORY_FILE_SIZE, most)
                .option(LineReader.Option.HISTORY_INCREMENTAL, true).option(LineReader.Option.HISTORY_TIMESTAMPED, true)
                .build();
        history.attach(reader);
        return history;
    }

    /** Each of several prompts adds lines while the others do, and the file is cut short again and again. */
    @Test
    void severalPromptsDoNotTearTheirHistory() throws Exception {
        int each = 60;
        try (var pool = Executors.newFixedThreadPool(3)) {
            var work = new ArrayList<Callable<Void>>();
            var together = new CyclicBarrier(3);
            for (String name : List.of("alpha", "beta", "gamma")) {
                PromptHistory history = history(100);
                work.add(() -> {
                    for (int i = 0; i < each; i++) {
                        if (i == 0 || i == each - 1) {
                            // however late one is, the last of everybody are the last of all
                            together.await(5, TimeUnit.MINUTES);
                        }
                        history.add(Instant.now(), name + " " + i + " " + "x".repeat(50));
                    }
                    return null;
                });
            }
            for (var done : pool.invokeAll(work)) {
                done.get();
            }
        }
        List<String> lines = Files.readAllLines(directory.resolve("history"));
        assertThat(lines).hasSizeBetween(50, 200)
                .allMatch(line -> line.matches("[0-9]+:(alpha|beta|gamma) [0-9]+ x{50}"));
        assertThat(lines).as("the last of everybody").anyMatch(line -> line.contains(":alpha 59 "))
                .anyMatch(line -> line.contains(":beta 59 "))
                .anyMatch(line -> line.contains(":gamma 59 "));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("history"))))
                .isEqualTo("rw-------");
    }

    @Test
    void linesWithSecretsAreNotKept() {
        for (String line : new String[] {"set Secret=1", " volume list", "x = 'AKIA1234567'", "def PASSWORD = 'a'",
                "put token.txt v:/"}) {
            assertThat(Secrets.in(line)).as(line).isTrue();
        }
        assertThat(Secrets.in("volume list --columns name")).isFalse();
        assertThat(Secrets.hidden("url x password=abc next")).isEqualTo("url x password=*** next");
        assertThat(Secrets.hidden("{\"secretKey\": \"a b\", \"n\": 1}")).isEqualTo("{\"secretKey\": ***, \"n\": 1}");
        assertThat(Secrets.hidden("AKIAABCDEFGH is a key")).isEqualTo("*** is a key");
        assertThat(Secrets.hidden("nothing to hide: 3")).isEqualTo("nothing to hide: 3");
    }

    @Test
    void aTranscriptIsALineFileAndReplacesNothing() throws Exception {
        Path file = directory.resolve("t.transcript");
        try (var transcript = Transcript.to(file, Instant.EPOCH)) {
            transcript.entry("df", "df");
            byte[] shown = "\r\u001b[K10%\r\u001b[K20%\r\u001b[K\u001b[1mNAME\u001b[0m\r\nhalf"
                    .getBytes(java.nio.charset.StandardCharsets.UTF_8);
            transcript.output(shown, 0, shown.length);
            transcript.end(0, Span.of("12ms"));
            transcript.entry("history", "");
            transcript.end(1, Span.of("1s"));
        }
        assertThat(Files.readString(file)).isEqualTo("# volsh transcript, 1970-01-01T00:00:00Z\ndf\n#| NAME\n#| half\n"
                + "#= exit 0, took 12ms\n" + "#> history\n#= exit 1, took 1s\n");
        Path other = Files.writeString(directory.resolve("precious"), "data\n");
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Transcript.to(other, Instant.EPOCH))
                .isInstanceOf(CommandFailure.class);
        assertThat(other).hasContent("data");
    }

    @Test
    void watchTakesATimeAndACondition() {
        assertThat(Watch.Wish.of("volume list"))
                .isEqualTo(new Watch.Wish(java.time.Duration.ofSeconds(2), "", "volume list"));
        assertThat(Watch.Wish.of("5s volume list"))
                .isEqualTo(new Watch.Wish(java.time.Duration.ofSeconds(5), "", "volume list"));
        assertThat(Watch.Wish.of("1s --until 'it.size() > 3' df -q"))
                .isEqualTo(new Watch.Wish(java.time.Duration.ofSeconds(1), "it.size() > 3", "df -q"));
        assertThat(Watch.Wish.of("--until it.done 1s df"))
                .isEqualTo(new Watch.Wish(java.time.Duration.ofSeconds(1), "it.done", "df"));
        assertThat(Watch.marked("a   10  ok", "a   9   ok")).isEqualTo("a   \u001b[7m10\u001b[0m  ok");
        assertThat(Watch.marked("a   10  ok", "a   10  ok")).isEqualTo("a   10  ok");
        assertThat(Watch.marked("b", "")).isEqualTo("\u001b[7mb\u001b[0m");
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Watch.Wish.of("5s"))
                .isInstanceOf(CommandFailure.class);
    }

    /** A transcript where another user planted a link, or made the file, is not written. */
    @Test
    void aTranscriptIsOurs() throws IOException {
        org.junit.jupiter.api.Assumptions.assumeTrue((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid")
                == 0, "giving files to others needs root");
        var victim = Files.createFile(directory.resolve("victim"));
        Files.setAttribute(victim, "unix:mode", 0644);
        var link = Files.createSymbolicLink(directory.resolve("link"), victim);
        Files.setAttribute(link, "unix:uid", 65534, java.nio.file.LinkOption.NOFOLLOW_LINKS);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Transcript.to(link, Instant.EPOCH))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("it is a symbolic link owned by user 65534");
        assertThat(victim).isEmptyFile();
        assertThat((Integer) Files.getAttribute(victim, "unix:mode") & 07777).isEqualTo(0644);
        Files.setAttribute(victim, "unix:uid", 65534);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> Transcript.to(victim, Instant.EPOCH))
                .isInstanceOf(CommandFailure.class);
    }
}
