package volsh.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.bench.Run;

/**
 * A report opened in a real browser: every shape takes room, the colours of the runs are on the screen, and the console
 * stays empty.
 */
final class ReportInChromiumTest {
    /** Counts what takes room on the screen, and writes the number where a dump shows it. */
    private static final String PROBE = """
            <script>document.body.dataset.drawn = [...document.querySelectorAll('svg rect, svg circle, svg polyline')]
                .filter(shape => shape.getBoundingClientRect().width > 0 && shape.getBoundingClientRect().height > 0).length</script></body>""";

    @TempDir
    Path directory;

    private String page;

    private record Seen(String dom, String console, Path screen) {
        long drawn() {
            return Long.parseLong(dom.replaceAll("(?s).*data-drawn=\"(\\d+)\".*", "$1"));
        }
    }

    @BeforeEach
    void browser() {
        assumeTrue(chromium().isPresent(), "no chromium here: apt-get install chromium-headless-shell (60 MB)");
        var rows = List.of(ReportTest.row("read", 1, 4096, 900, 1), ReportTest.row("read", 8, 4096, 1000, 2),
                ReportTest.row("stat", 1, 0, 50, 3));
        page = new Report(List.of(ReportTest.run("one", rows.toArray(volsh.bench.Measurement[]::new)),
                new Run("two <b>", ReportTest.TIME, "qd", "/mnt/b", java.util.Map.of(), rows))).html(ReportTest.TIME);
    }

    private static Optional<Path> chromium() {
        return Stream.of(System.getenv("PATH").split(":")).flatMap(place -> Stream.of("chromium-headless-shell",
                "chromium", "chromium-browser", "google-chrome").map(name -> Path.of(place, name)))
                .filter(Files::isExecutable).findFirst();
    }

    private Seen open(String name, String html, String... options) throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve(name + ".html"), html);
        Path screen = directory.resolve(name + ".png");
        Path console = directory.resolve(name + ".log");
        Path dom = directory.resolve(name + ".dom");
        var words = Stream.of(Stream.of(chromium().orElseThrow().toString(), "--headless", "--no-sandbox",
                "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                "--window-size=1000,1400", "--user-data-dir=" + directory.resolve("profile-" + name),
                "--enable-logging=stderr", "--dump-dom", "--screenshot=" + screen), Stream.of(options),
                Stream.of(file.toUri().toString())).flatMap(each -> each).toList();
        var process = new ProcessBuilder(words).redirectError(console.toFile()).redirectOutput(dom.toFile()).start();
        if (!process.waitFor(10, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        var logged = Files.readString(console, StandardCharsets.ISO_8859_1);
        assertThat(process.waitFor()).as(logged).isZero();
        return new Seen(Files.readString(dom),
                String.join("\n", logged.lines().filter(line -> line.contains("CONSOLE")).toList()), screen);
    }

    private static long pixels(Path screen, int colour) throws IOException {
        var image = ImageIO.read(screen.toFile());
        long count = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                count += (image.getRGB(x, y) & 0xFFFFFF) == colour ? 1 : 0;
            }
        }
        return count;
    }

    @Test
    void plotsAreOnTheScreenByDayAndByNight() throws Exception {
        var day = open("day", page);
        assertThat(day.console()).isEmpty();
        assertThat(pixels(day.screen(), 0x2f6fde)).isGreaterThan(5000);
        assertThat(pixels(day.screen(), 0xd9690f)).isGreaterThan(5000);
        assertThat(pixels(day.screen(), 0x6ea3ff)).isZero();
        var night = open("night", page, "--blink-settings=preferredColorScheme=0");
        assertThat(night.console()).isEmpty();
        assertThat(pixels(night.screen(), 0x6ea3ff)).isGreaterThan(5000);
        assertThat(pixels(night.screen(), 0x12171e)).isGreaterThan(500_000);
    }

    /**
     * Six bars, twelve ends of ranges, two lines with four dots. The control: a broken shape is missing, and in the
     * console.
     */
    @Test
    void everyShapeTakesRoom() throws Exception {
        String open = page.replaceFirst("<meta http-equiv[^>]*>", "").replace("</body>", PROBE);
        var whole = open("whole", open);
        assertThat(whole.drawn()).isEqualTo(6 + 12 + 2 + 4);
        assertThat(whole.console()).isEmpty();
        var broken = open("broken", open.replaceFirst("(<rect [^>]*width=')[^']*", "$1NaN"));
        assertThat(broken.drawn()).isEqualTo(whole.drawn() - 1);
        assertThat(broken.console()).contains("NaN");
    }

    /** The page as it is lets no script run, not even one that somebody smuggled in. */
    @Test
    void noScriptRuns() throws Exception {
        var seen = open("smuggled", page.replace("</body>", PROBE));
        assertThat(seen.dom()).doesNotContain("data-drawn=\"");
        assertThat(seen.console()).contains("Content Security Policy");
    }
}
