package volsh.command.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ConsoleTest {
    @Test
    void theOptionWinsThenNoColorThenForceThenDumb() {
        assertThat(ColourChoice.ALWAYS.allows(false, Map.of("NO_COLOR", "1"))).isTrue();
        assertThat(ColourChoice.NEVER.allows(true, Map.of("FORCE_COLOR", "1"))).isFalse();
        assertThat(ColourChoice.AUTO.allows(true, Map.of())).isTrue();
        assertThat(ColourChoice.AUTO.allows(false, Map.of())).isFalse();
        assertThat(ColourChoice.AUTO.allows(true, Map.of("NO_COLOR", "1", "FORCE_COLOR", "1"))).isFalse();
        assertThat(ColourChoice.AUTO.allows(true, Map.of("NO_COLOR", ""))).isTrue();
        assertThat(ColourChoice.AUTO.allows(false, Map.of("FORCE_COLOR", "1"))).isTrue();
        assertThat(ColourChoice.AUTO.allows(false, Map.of("FORCE_COLOR", "0"))).isFalse();
        assertThat(ColourChoice.AUTO.allows(true, Map.of("CLICOLOR", "0"))).isFalse();
        assertThat(ColourChoice.AUTO.allows(false, Map.of("CLICOLOR_FORCE", "1"))).isTrue();
        assertThat(ColourChoice.AUTO.allows(true, Map.of("TERM", "dumb"))).isFalse();
    }

    @Test
    void theWidthIsToldOrAskedOrUsual() {
        var terminal = new Terminal(true, true, true, () -> 132);
        assertThat(terminal.width(Map.of())).isEqualTo(132);
        assertThat(terminal.width(Map.of("COLUMNS", "50"))).isEqualTo(50);
        assertThat(terminal.width(Map.of("COLUMNS", "0"))).isEqualTo(132);
        assertThat(terminal.width(Map.of("COLUMNS", "wide"))).isEqualTo(132);
        assertThat(new Terminal(true, true, true, () -> 0).tableWidth(Map.of())).isEqualTo(80);
        assertThat(Terminal.none().width(Map.of())).isEqualTo(80);
        assertThat(Terminal.none().tableWidth(Map.of("COLUMNS", "50"))).isEqualTo(Integer.MAX_VALUE);
        assertThat(Terminal.unicode(Map.of("LC_ALL", "C", "LANG", "en_US.UTF-8"))).isFalse();
        assertThat(Terminal.unicode(Map.of("LANG", "en_US.utf8"))).isTrue();
    }

    /** Takes some bytes, then fails. */
    private static OutputStream failingAfter(int bytes, String message) {
        return new OutputStream() {
            private int left = bytes;

            @Override
            public void write(int b) throws IOException {
                if (left-- <= 0) {
                    throw new IOException(message);
                }
            }
        };
    }

    @Test
    void aReaderWhoLeftIsNotAFullDisk() {
        assertThatThrownBy(() -> write(new Output(failingAfter(10, "Broken pipe"))))
                .isInstanceOf(BrokenPipeException.class);
        assertThatThrownBy(() -> write(new Output(failingAfter(10, "No space left on device"))))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("cannot write to standard output").hasRootCauseMessage("No space left on device");
    }

    private static void write(Output output) throws IOException {
        output.write(new byte[100]);
        output.flush();
    }

    @Test
    void onlyTheFirstFailureIsTold() {
        var output = new Output(failingAfter(0, "Broken pipe"));
        assertThatThrownBy(() -> write(output)).isInstanceOf(BrokenPipeException.class);
        assertThatCode(() -> write(output)).doesNotThrowAnyException();
    }

    @Test
    void outputIsWhatWasWrittenInAnyPieces() throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        var random = new Random(seed);
        var expected = new ByteArrayOutputStream();
        var actual = new ByteArrayOutputStream();
        var output = new Output(actual);
        for (int i = 0; i < 200; i++) {
            var piece = new byte[random.nextInt(i % 10 == 0 ? 20_000 : 300)];
            random.nextBytes(piece);
            output.write(piece);
            output.write(i);
            expected.write(piece);
            expected.write(i);
        }
        output.flush();
        assertThat(actual.toByteArray()).hasSizeGreaterThan(10_000).isEqualTo(expected.toByteArray());
    }

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final InstantSource clock = now::get;

    private String said() {
        String text = err.toString(StandardCharsets.UTF_8);
        err.reset();
        return text;
    }

    private Messages messages(boolean quiet, int verbosity) {
        return new Messages(err, false, quiet, verbosity);
    }

    @Test
    void quietSilencesMessagesButNotWarnings() {
        var quiet = messages(true, 0);
        quiet.say("created");
        quiet.warn("slow\u001b[2J");
        assertThat(said()).isEqualTo("warning: slow\\x1b[2J\n");
        var loud = messages(false, 1);
        loud.say("created");
        loud.detail(1, "one");
        loud.detail(2, "two");
        assertThat(said()).isEqualTo("created\none\n");
    }

    private LiveProgress begin(ProgressChoice choice, Terminal terminal, Messages messages, long total) {
        var displays = new ProgressDisplays(choice, terminal, Map.of("COLUMNS", "100"), messages);
        return new LiveProgress("put", total, true, clock, displays.display());
    }

    @Test
    void aTerminalSeesALineThatIsRedrawnAndCleared() {
        var messages = messages(false, 0);
        var progress = begin(ProgressChoice.AUTO, new Terminal(true, true, true, () -> 100), messages, 4L << 30);
        progress.add(1L << 30);
        now.set(Instant.EPOCH.plusSeconds(2));
        progress.look();
        assertThat(said()).isEqualTo("\r\u001b[Kput  [#####---------------]  25%  1GiB of 4GiB  512MiB/s  ETA 0:06");
        messages.say("hello");
        assertThat(said())
                .isEqualTo("\r\u001b[Khello\nput  [#####---------------]  25%  1GiB of 4GiB  512MiB/s  ETA 0:06");
        progress.close();
        progress.close();
        progress.look();
        assertThat(said()).isEqualTo("\r\u001b[K");
    }

    @Test
    void elsewhereALineNowAndThen() {
        var displays = new ProgressDisplays(ProgressChoice.AUTO, Terminal.none(), Map.of(), messages(false, 0));
        assertThat(displays.display().interval()).isEqualTo(Duration.ofSeconds(30));
        var progress = begin(ProgressChoice.AUTO, Terminal.none(), messages(false, 0), -1);
        progress.add(3 << 20);
        now.set(Instant.EPOCH.plusSeconds(30));
        progress.look();
        progress.close();
        assertThat(said()).isEqualTo("put  3MiB  102.4KiB/s\n");
    }

    @Test
    void programsSeeJsonLinesAndTheLast() {
        var progress = begin(ProgressChoice.JSON, Terminal.none(), messages(true, 0), 100);
        progress.add(50);
        now.set(Instant.EPOCH.plusMillis(2500));
        progress.look();
        assertThat(said()).isEqualTo("{\"progress\":\"put\",\"doneBytes\":50,\"totalBytes\":100,\"bytesPerSecond\":20,"
                + "\"elapsedSeconds\":2.5,\"etaSeconds\":3}\n");
        progress.add(50);
        progress.close();
        assertThat(said()).contains("\"doneBytes\":100", "\"etaSeconds\":0").endsWith("}\n");
    }

    @Test
    void hiddenProgressCostsNothing() {
        var displays = new ProgressDisplays(ProgressChoice.NONE, Terminal.none(), Map.of(), messages(false, 0));
        assertThat(displays.begin("put", 1, true, clock)).isSameAs(Progress.HIDDEN);
        var quiet = new ProgressDisplays(ProgressChoice.AUTO, Terminal.none(), Map.of(), messages(true, 0));
        assertThat(quiet.begin("put", 1, true, clock)).isSameAs(Progress.HIDDEN);
    }

    @Test
    void manyThreadsAdd() throws InterruptedException {
        var progress = begin(ProgressChoice.JSON, Terminal.none(), messages(true, 0), 80_000);
        var threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofPlatform().start(() -> {
                for (int n = 0; n < 10_000; n++) {
                    progress.add(1);
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        progress.close();
        assertThat(said()).contains("\"doneBytes\":80000");
    }

    @Test
    void longTimesAndOddTotals() {
        assertThat(new Advance("x", 1, 10_000, false, Duration.ofSeconds(1)).text(0))
                .isEqualTo("x  0%  1 of 10,000  1/s  ETA 2:46:39");
        assertThat(new Advance("put", 5_000_000, 20_000_000, true, Duration.ofSeconds(5), 5_000, 20_000).text(100))
                .as("the files lead").isEqualTo("put  [#####---------------]  25%  5,000 of 20,000 files  4.8MiB of "
                + "19.1MiB  1,000 files/s  ETA 0:15");
        assertThat(new Advance("put", 1 << 30, 4L << 30, true, Duration.ofSeconds(2), 3, 12).text(60))
                .isEqualTo("put  25%  1GiB of 4GiB  3 of 12 files  512MiB/s  ETA 0:06");
        assertThat(new Advance("x", 0, 0, true, Duration.ZERO).text(0)).isEqualTo("x  100%  0B of 0B");
        assertThat(new Advance("x", 20, 10, false, Duration.ofSeconds(1)).text(0))
                .isEqualTo("x  100%  20 of 10  20/s");
    }
}
