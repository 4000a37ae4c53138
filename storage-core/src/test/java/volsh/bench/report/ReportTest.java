package volsh.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import volsh.bench.Measurement;
import volsh.bench.OperationLatencies;
import volsh.bench.Run;
import volsh.unit.ByteSize;

/** A page holds what the runs hold, as text and as shapes, and nothing that a run brings along is markup. */
final class ReportTest {
    static final Instant TIME = Instant.parse("2026-11-16T10:00:00Z");

    static Measurement row(String phase, int threads, long each, long operations, long millis) {
        var time = Duration.ofMillis(millis);
        return new Measurement(phase, threads, new ByteSize(each), operations, new ByteSize(operations * each),
                Duration.ofSeconds(1), new OperationLatencies(time, time.multipliedBy(2), time.multipliedBy(3),
                time.multipliedBy(40)), Map.of());
    }

    static Run run(String id, Measurement... rows) {
        return new Run(id, TIME, "qd", "/mnt/a", Map.of("cpus", "2", "kernel", id), List.of(rows));
    }

    private static long count(String page, String pattern) {
        return Pattern.compile(pattern).matcher(page).results().count();
    }

    @Test
    void everyRowIsABarARangeAndALine() {
        var page = new Report(List.of(run("one", row("read", 1, 4096, 100, 1), row("read", 8, 4096, 300, 2),
                row("stat", 1, 0, 50, 3)), run("two", row("read", 1, 4096, 200, 1)))).html(TIME);
        assertThat(count(page, "<rect class='s0'")).isEqualTo(3);
        assertThat(count(page, "<rect class='s1'")).isEqualTo(1);
        assertThat(count(page, "<circle class='ring'")).isEqualTo(4);
        assertThat(count(page, "<polyline")).isEqualTo(2);
        assertThat(count(page, "<svg ")).isEqualTo(4);
        assertThat(page).contains("400 KiB/s", "1.2 MiB/s", "50/s", "p50 1 ms, p95 2 ms, p99 3 ms, slowest 40 ms",
                "<tr class='differs'>");
    }

    @Test
    void sharesAreDrawnToo() {
        var plain = row("epoch 2", 1, 10, 10, 1);
        var row = new Measurement(plain.phase(), 1, plain.each(), 10, plain.bytes(), plain.elapsed(), plain.latency(),
                Map.of("hits", 0.75, "forecast", 0.5));
        var page = new Report(List.of(run("one", row, plain))).html(TIME);
        assertThat(page).contains("<figcaption>Hits: the part of", "75 %", "<figcaption>Forecast: ");
        assertThat(new Report(List.of(run("one", plain))).html(TIME)).doesNotContain("<h2>Shares</h2>");
    }

    /** What is in a run stays text, wherever it is shown; the control is the same page with a harmless name. */
    @Test
    void nothingOfARunIsMarkup() {
        String evil = "</title><script>alert('1')</script><img src=x onerror=\"x\">&amp;\u0000\u001b[31m";
        var run = new Run(evil, TIME, evil, evil, Map.of(evil, evil),
                List.of(row(evil, 1, 1, 1, 1), row(evil, 2, 1, 1, 1)));
        var page = new Report(List.of(run, run)).html(TIME);
        assertThat(page).doesNotContain("<script", "<img", "\u0000", "\u001b").contains("&lt;script&gt;");
        var harmless = new Run("h", TIME, "h", "h", Map.of("h", "h"),
                List.of(row("h", 1, 1, 1, 1), row("h", 2, 1, 1, 1)));
        assertThat(count(page, "<[a-z]"))
                .isEqualTo(count(new Report(List.of(harmless, harmless)).html(TIME), "<[a-z]"));
    }

    @Test
    void theExtremesAreDrawn() {
        var page = new Report(List.of(run("none"), run("zero", row("idle", 1, 0, 0, 0)),
                run("huge", row("x", 1, 1 << 20, 1L << 40, 3_600_000)))).html(TIME);
        assertThat(page).doesNotContain("NaN", "Infinity", "null", "'-");
    }

    /** The first words say what the run showed, with the numbers of the rows. */
    @Test
    void itBeginsWithAVerdict() {
        assertThat(new Verdict(List.of(run("one", row("read", 1, 4096, 100, 1), row("read", 8, 4096, 300, 2))))
                .sentences()).containsExactly("read: 1.2 MiB/s with 8 threads, half of the operations within 2 ms and"
                + " 99 % within 6 ms; 400 KiB/s with 1 thread.",
                "The slowest operation took 40 ms, 40 times the median of read with 1 thread.");
        assertThat(new Verdict(List.of(run("one"))).sentences()).first().asString().contains("measured nothing");
        var page = new Report(List.of(run("one", row("read", 1, 4096, 100, 1)))).html(TIME);
        assertThat(page.indexOf("<h2>Verdict</h2>")).isPositive().isLessThan(page.indexOf("<h2>Speed</h2>"));
    }

    @Test
    void runsAreComparedInWords() {
        var before = run("one", row("read", 1, 4096, 100, 1), row("read", 8, 4096, 300, 1));
        assertThat(compared(before, run("two", row("read", 1, 4096, 50, 1), row("read", 8, 4096, 30, 1))))
                .isEqualTo("two is 4.5 times as slow as one, on average over 2 measurements; read with 8 threads:"
                + " 120 KiB/s, before 1.2 MiB/s.");
        assertThat(compared(before, run("two", row("read", 1, 4096, 103, 1)))).isEqualTo("two is as fast as one.");
        assertThat(compared(before, run("two", row("read", 1, 4096, 130, 1)))).startsWith("two is 30 % faster than");
        assertThat(compared(before, run("two", row("stat", 1, 0, 1, 1)))).startsWith("two measured something else than one. stat: 1/s");
        assertThat(compared(before, run("two", row("read", 1, 4096, 0, 1)))).contains("measured nothing");
        assertThat(new Verdict(List.of(before, run("two"))).sentences()).last().isEqualTo("The runs differ in: Kernel.");
    }

    private static String compared(Run before, Run after) {
        return new Verdict(List.of(before, after)).sentences().getFirst();
    }

    @Test
    void aJobThatWaitsIsToldSo() {
        assertThat(loader(0.95, Map.of()))
                .isEqualTo("Storage keeps up: the GPUs compute 95 % of the time with 4 workers, the best that was"
                + " tried.");
        assertThat(loader(0.5, Map.of())).startsWith("Storage is too slow for this job: ");
        assertThat(loader(0.8999, Map.of("required", "90%"))).startsWith("Too slow: the GPUs compute 89.9 %")
                .endsWith("90 % is required.");
        assertThat(loader(0.9, Map.of("required", "90%"))).startsWith("Passed");
    }

    private static String loader(double utilisation, Map<String, String> facts) {
        var plain = row("loader-files", 4, 0, 10, 1);
        var row = new Measurement("loader-files", 4, plain.each(), 10, new ByteSize(10), plain.elapsed(),
                plain.latency(), Map.of("stall", 1 - utilisation, "utilisation", utilisation));
        return new Verdict(List.of(new Run("one", TIME, "loader", "/mnt", facts, List.of(row)))).sentences().getFirst();
    }

    /** No key or value of a file is shown as it is written there. */
    @Test
    void factsReadWell() {
        var facts = Map.of("fileSystem", "ext4", "compute", "PT0.01S", "memory", "16384000 kB", "direct", "true",
                "someNewKey", "x", "duration", "PT1M30S", "broken", "PT");
        var page = new Report(List.of(new Run("one", TIME, "qd", "/mnt/a", facts, List.of()))).html(TIME);
        assertThat(page).contains("File system", "10 ms", "15.6 GiB", ">yes<", "Some new key", "1 m 30 s",
                "2026-11-16 10:00:00 UTC").doesNotContain("PT0", "fileSystem", " kB", "PT1");
    }

    @Test
    void onlySoManyColours() {
        var runs = new ArrayList<Run>();
        for (int i = 0; i <= Report.RUNS_MAX; i++) {
            runs.add(run("r" + i));
        }
        assertThatThrownBy(() -> new Report(runs)).hasMessage("a report shows 1 to 6 runs: 7");
        assertThatThrownBy(() -> new Report(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numbersReadWell() {
        assertThat(List.of(Amounts.time(1), Amounts.time(1500), Amounts.time(1_234_567), Amounts.time(1e9),
                Amounts.time(100e6)))
                .containsExactly("1 ns", "1.5 µs", "1.23 ms", "1 s", "100 ms");
        assertThat(Scale.Linear.to(7.3).ticks()).containsExactly(0.0, 2.0, 4.0, 6.0, 8.0);
        assertThat(Scale.Linear.ofBytes(3 << 20).ticks()).first().isEqualTo(0.0);
        assertThat(Scale.Logarithmic.over(1500, 90_000).ticks()).containsExactly(1e3, 1e4, 1e5);
    }
}
