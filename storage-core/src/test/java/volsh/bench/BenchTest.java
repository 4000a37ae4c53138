package volsh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import volsh.unit.ByteSize;

/** What benches count and keep; how fast anything is, a test cannot know. */
@Tag("disk")
final class BenchTest {
    @TempDir
    Path directory;

    private final AtomicLong seen = new AtomicLong();

    private Terms terms(int threads, String size, String io) {
        return new Terms(directory, ByteSize.of(size), ByteSize.of(io), threads, Optional.empty(), false, 7,
                () -> false, seen::addAndGet);
    }

    @ParameterizedTest
    @EnumSource(BenchProfile.class)
    void everyProfileMeasuresAndLeavesNothing(BenchProfile profile) throws IOException {
        var terms = profile == BenchProfile.QD
                ? new Terms(directory, ByteSize.of("4MiB"), ByteSize.of("64KiB"), 1, Optional.of(Duration.ofMillis(50)),
                        false, 7, () -> false, seen::addAndGet)
                : terms(2, "4MiB", "64KiB");
        var rows = profile.run(terms);
        assertThat(rows).isNotEmpty().allSatisfy(row -> {
            assertThat(row.operations()).isPositive();
            assertThat(row.bytes().bytes()).isEqualTo(row.operations() * row.each().bytes());
            assertThat(row.latency().p50()).isPositive().isLessThanOrEqualTo(row.latency().p95());
            assertThat(row.latency().p99()).isLessThanOrEqualTo(row.latency().max());
            assertThat(row.elapsed()).isPositive();
        });
        assertThat(directory).isEmptyDirectory();
    }

    /**
     * So that other tools can be measured on the same file; each thread reads its own part of it, from the first byte
     * to the last.
     */
    @ParameterizedTest
    @EnumSource(BenchProfile.class)
    void ofAFileThatIsThereNothingIsWritten(BenchProfile profile) throws IOException {
        Path file = Files.write(directory.resolve("data"), new byte[1 << 20]);
        var terms = new Terms(file, ByteSize.of("1MiB"), ByteSize.of("16KiB"), 2, profile == BenchProfile.QD
                ? Optional.of(Duration.ofMillis(20)) : Optional.empty(), false, 7, () -> false, seen::addAndGet);
        if (profile.writes()) {
            assertThatThrownBy(() -> profile.run(terms)).isInstanceOf(IOException.class);
        } else {
            assertThat(profile.run(terms)).isNotEmpty()
                    .allMatch(row -> profile == BenchProfile.QD || row.operations() == 64);
            assertThatThrownBy(() -> profile.run(terms.of(ByteSize.of("2MiB"), ByteSize.of("16KiB"))))
                    .hasMessageContaining("is smaller than 2MiB");
        }
        assertThat(directory).isDirectoryContaining(file::equals);
        assertThat(directory.toFile().list()).hasSize(1);
        assertThat(Files.readAllBytes(file)).isEqualTo(new byte[1 << 20]);
    }

    @Test
    void aFileIsForgottenAlone() throws IOException {
        boolean alone = Files.getFileStore(directory).type().equals("tmpfs");        // there nothing else has its pages
        // somebody may empty the kernel's caches just then
        for (int tries = 0; tries == 0 || tries < 10 && !alone; tries++) {
            Path one = synced("one" + tries);
            Path other = synced("other" + tries);
            assertThat(PageCache.forget(one)).isTrue();
            alone |= volsh.system.Residency.of(one).resident().bytes() == 0
                    && volsh.system.Residency.of(other).resident().bytes() > 0;
        }
        assertThat(alone).isTrue();
        assertThat(PageCache.forget(directory.resolve("none"))).isFalse();
    }

    private Path synced(String name) throws IOException {
        Path path = Files.write(directory.resolve(name), new byte[1 << 20]);
        try (var file = java.nio.channels.FileChannel.open(path, java.nio.file.StandardOpenOption.WRITE)) {
            file.force(true);
        }
        return path;
    }

    @Test
    void sequentialBenchesMoveTheWholeSize() throws IOException {
        for (var profile : List.of(BenchProfile.SEQREAD, BenchProfile.SEQWRITE, BenchProfile.DIRECT)) {
            assertThat(profile.run(terms(4, "8MiB", "256KiB"))).as(profile.name())
                    .allMatch(row -> row.bytes().equals(ByteSize.of("8MiB")) && row.operations() == 32
                            && row.threads() == 4);
        }
    }

    @Test
    void namesAreMadeSeenAndRemovedEquallyOften() throws IOException {
        var rows = BenchProfile.META.run(terms(2, "400KiB", "4KiB"));
        assertThat(rows).extracting(Measurement::phase)
                .containsExactly("dir-create", "dir-stat", "dir-remove", "create", "stat", "read", "list", "remove");
        assertThat(rows).filteredOn(row -> !row.phase().matches("list|dir-.*"))
                .allMatch(row -> row.operations() == 100);
        assertThat(rows).filteredOn(row -> row.phase().startsWith("dir-")).allMatch(row -> row.operations() == 10);
    }

    @Test
    void whoeverWantsToStopIsHeard() throws IOException {
        var calls = new AtomicInteger();
        var terms = new Terms(directory, ByteSize.of("1GiB"), ByteSize.of("4KiB"), 1, Optional.empty(), false, 7,
                () -> calls.incrementAndGet() > 100, _ -> { });
        var rows = BenchProfile.SEQWRITE.run(terms);
        assertThat(rows.getFirst().operations()).isBetween(50L, 100L);
        assertThat(directory).isEmptyDirectory();
    }

    /** One member's failure ends the others and reaches the caller; the directory goes all the same. */
    @Test
    void aFailureEndsTheBench() {
        var crew = new Crew(4, terms(4, "1MiB", "4KiB"));
        assertThatThrownBy(() -> crew.run("trouble", 1, member -> () -> {
            if (member == 2) {
                throw new IOException("no space left");
            }
            return 1;
        })).isInstanceOf(IOException.class).hasMessage("no space left");
        assertThatThrownBy(() -> BenchProfile.SEQWRITE.run(new Terms(directory.resolve("none"),
                ByteSize.of("1MiB"), ByteSize.of("4KiB"), 1, Optional.empty(), false, 7, () -> false, _ -> { })))
                .isInstanceOf(IOException.class);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> terms(0, "1MiB", "4KiB")).hasMessageContaining("must be 1 to 1024");
        assertThatThrownBy(() -> terms(64, "64KiB", "4KiB")).hasMessageContaining("less than one operation");
        assertThatThrownBy(() -> terms(1, "64KiB", "0B")).hasMessageContaining("must have 1B to 1GiB");
        assertThatThrownBy(() -> terms(1, "64KiB", "1000B").direct(true)).hasMessageContaining("multiples of 4KiB");
    }

    private static Measurement row(String phase, long operations, long each) {
        var time = Duration.ofMillis(1);
        return new Measurement(phase, 1, new ByteSize(each), operations, new ByteSize(operations * each),
                Duration.ofSeconds(1), new OperationLatencies(time, time, time, time));
    }

    @Test
    void runsAreKeptAndFound() throws IOException {
        var runs = new Runs(directory.resolve("bench"));
        assertThat(runs.all()).isEmpty();
        var when = Instant.parse("2026-11-16T10:00:00Z");
        var first = runs.add(when, "seqread", "/mnt/a", Map.of("cpus", "2"), List.of(row("read", 100, 4096)));
        var second = runs.add(when, "seqread", "/mnt/a", Map.of(), List.of(row("read", 80, 4096), row("more", 1, 0)));
        assertThat(first.id()).isEqualTo("20261116-100000-seqread");
        assertThat(second.id()).isEqualTo("20261116-100000-seqread-2");
        assertThat(runs.all()).containsExactly(first, second);
        assertThat(runs.find("last")).isEqualTo(second);
        var other = new Runs(directory.resolve("other"));
        var early = other.add(when, "seqread", "/mnt/a", Map.of(), List.of());
        var late = other.add(when.plusMillis(1), "fsync", "/mnt/a", Map.of(), List.of());
        assertThat(other.all()).as("in one second, and called so that it would come first")
                .containsExactly(early, late);
        assertThat(runs.find(first.id())).isEqualTo(first);
        assertThatThrownBy(() -> runs.find("2026")).isInstanceOf(NoSuchElementException.class)
                .hasMessageContaining("2 runs begin");
        runs.baseline("nightly", first);
        runs.baseline("nightly", second);
        assertThat(runs.find("nightly")).isEqualTo(second);
        assertThat(runs.all()).hasSize(2);
        for (String wrong : List.of("../x", "", "a/b", "last")) {
            assertThatThrownBy(() -> runs.baseline(wrong, first)).as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(Comparison.of(first, second))
                .containsExactly(new Comparison("read", 1, 409_600, 327_680, -20.0, true));
    }

    @Test
    void aDamagedRunIsNamed() throws IOException {
        var runs = new Runs(directory);
        var run = runs.add(Instant.EPOCH, "qd", "/mnt/a", Map.of(), List.of(row("read", 1, 1)));
        Path file = directory.resolve(run.id() + ".json");
        String good = Files.readString(file);
        for (String bad : List.of("", "[]", "{", good.replace("\"rows\"", "\"lines\""), good.replace("\"version\" : 1",
                "\"version\" : 9"), good.replace("\"threads\" : 1", "\"threads\" : \"one\""))) {
            Files.writeString(file, bad);
            assertThatThrownBy(runs::all).as(bad).isInstanceOf(IOException.class).hasMessageContaining(run.id());
        }
    }

    private List<Path> dataset(int files) throws IOException {
        var made = new java.util.ArrayList<Path>();
        Files.createDirectories(directory.resolve("data/below"));
        for (int i = 0; i < files; i++) {
            made.add(Files.write(directory.resolve(i % 2 == 0 ? "data" : "data/below").resolve("f" + i),
                    ("sample " + i + " ").repeat(200).getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        }
        return made;
    }

    @Test
    void compressionsAreTriedOnRealFiles() throws IOException {
        dataset(40);
        var rows = CompressBench.run(directory.resolve("data"), ByteSize.of("64KiB"), ByteSize.of("1MiB"), () -> false,
                _ -> { });
        assertThat(rows).extracting(CompressBench.Row::compression)
                .containsExactly("none", "lz4", "zstd:1", "zstd:3", "zstd:9", "planes:1");
        assertThat(rows).allMatch(row -> row.raw().equals(rows.getFirst().raw()) && row.writtenPerSecond() > 0
                && row.readPerSecond() > 0);
        assertThat(rows.get(1).ratio()).isGreaterThan(2);
        assertThat(CompressBench.recommended(rows, 1).ratio()).isGreaterThan(2);
        assertThat(CompressBench.recommended(rows, Double.MAX_VALUE)).isIn(rows);
        var noise = new byte[300_000];
        new java.util.Random(5).nextBytes(noise);
        Path file = Files.write(directory.resolve("noise"), noise);
        assertThat(CompressBench.recommended(CompressBench.run(file, ByteSize.of("64KiB"), ByteSize.of("1MiB"),
                () -> false, _ -> { }), 1).compression()).isEqualTo("none");
    }
}
