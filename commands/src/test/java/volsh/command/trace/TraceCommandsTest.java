package volsh.command.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.cache.Rehearsal;
import volsh.command.Cancellation;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.hang.Eventually;
import volsh.mount.MountStats;
import volsh.mount.Mounts;
import volsh.trace.Event;
import volsh.trace.Prediction;
import volsh.trace.Trace;
import volsh.unit.ByteSize;

/**
 * What programs ask of a real mount is recorded; done again elsewhere, it is the same; and caches of other sizes have
 * of it what was forecast.
 */
final class TraceCommandsTest {
    private static final String LOAD = """
            cat data/f* > /dev/null; mkdir d; cp data/f1 d/new; mv d/new d/newer; ln -s newer d/link; cat d/newer > /dev/null; ls -l data > /dev/null; rm data/f0""";
    private static final String EPOCHS = """
            import os, random
            random.seed(7)
            names = ['data/f%d' % i for i in range(256)]
            for epoch in range(4):
                random.shuffle(names)
                for name in names:
                    file = os.open(name, os.O_RDONLY)
                    while os.read(file, 131072): pass
                    os.close(file)
            """;

    @TempDir
    Path directory;
    private Scratch scratch;

    @BeforeEach
    void home() {
        scratch = new Scratch(directory.resolve("home"));
    }

    private Ended ok(String line) {
        return scratch.ok(line);
    }

    private static void run(Path in, String... words) throws Exception {
        var process = new ProcessBuilder(words).directory(in.toFile()).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** What a mount is asked while something runs. */
    private interface Work {
        void run() throws Exception;
    }

    private Trace recorded(Path mount, String name, Work work) throws Exception {
        var file = directory.resolve(name);
        var stop = new Cancellation();
        var recording = CompletableFuture.supplyAsync(() ->
                scratch.run("trace record %s --out %s --duration 10m".formatted(mount, file), stop));
        Eventually.holdsDuring(recording, "the recording has begun", () -> Files.exists(file));
        work.run();
        stop.request();
        assertThat(recording.get().err()).doesNotContain("error:");
        var trace = Trace.read(file);
        assertThat(trace.whole()).isTrue();
        assertThat(trace.dropped()).isZero();
        return trace;
    }

    /** What matters of a request: what was asked, of which file, where. */
    private static List<String> asked(Trace trace) {
        return trace.events().stream().filter(event -> List.of("read", "write", "create", "mkdir", "rename", "rename2",
                "unlink", "symlink", "open").contains(event.operation()))
                .map(TraceCommandsTest::line).sorted().toList();
    }

    private static String line(Event event) {
        return "%s %s %s %d %d %d".formatted(event.operation().replace("rename2", "rename"),
                event.path(), event.otherPath(), event.asked().offset(), event.asked().size(),
                event.operation().equals("read") || event.operation().equals("write") ? event.asked().result() : 0);
    }

    @Test
    void doneAgainItIsTheSame() throws Exception {
        for (var name : List.of("a", "b")) {
            ok("volume create %s --compression none".formatted(name));
            scratch.fill(name, 3, 300_000);
        }
        var one = directory.resolve("one");
        var other = directory.resolve("other");
        Trace trace;
        try (var _ = new MountedVolume(scratch, "a", one, "--direct-io")) {
            trace = recorded(one, "t.trace", () -> run(one, "/bin/bash", "-e", "-c", LOAD));
            assertThat(scratch.run("trace record %s --out %s".formatted(one, directory.resolve("t.trace"))).status())
                    .isEqualTo(4);
            assertThat(scratch.run("trace record %s --out %s/x.trace".formatted(one, one)).status()).isEqualTo(2);
        }
        assertThat(asked(trace)).contains("mkdir d  0 0 0", "rename d/new d/newer 0 0 0", "unlink data/f0  0 0 0",
                "read data/f1  131072 131072 131072");
        var file = directory.resolve("t.trace");

        var local = Files.createDirectories(directory.resolve("local"));
        assertThat(scratch.run("trace replay %s --on %s".formatted(file, local)).status()).as("files are missing")
                .isEqualTo(3);
        assertThat(ok("trace replay %s --on %s --prepare --writes --speed max --dry-run".formatted(file, local)).out())
                .contains("create", "replay");
        assertThat(local).isEmptyDirectory();
        var replayed = scratch.run(
                "trace replay %s --on %s --prepare --writes --speed max -o csv --columns operation,different"
                .formatted(file, local));
        assertThat(replayed.out().lines().skip(1)).as(replayed.err()).allMatch(row -> row.endsWith(",0"));
        assertThat(Files.size(local.resolve("d/newer"))).isEqualTo(300_000);
        assertThat(local.resolve("data/f0")).doesNotExist();

        try (var _ = new MountedVolume(scratch, "b", other, "--direct-io")) {
            var again = recorded(other, "again.trace",
                    () -> ok("trace replay %s --on %s --writes --speed max".formatted(file, other)));
            assertThat(asked(again)).isEqualTo(asked(trace));
        }
        assertThat(ok("trace show %s -o value:operation".formatted(file)).out()).contains("read\n", "rename2\n");
        assertThat(ok("trace show %s --files -o value:path".formatted(file)).out()).contains("data/f2\n");
        assertThat(ok("trace show %s --events -o jsonl".formatted(file)).out().lines().count())
                .isEqualTo(trace.events().size());
        assertThat(ok("plan cache --trace %s --cache 1MiB -o value:policy".formatted(file)).out())
                .isEqualTo("epoch\nlru\n");
        assertThat(scratch.run("trace show %s".formatted(directory.resolve("source-a/f1"))).status()).isEqualTo(2);
        assertThat(scratch.run("trace show %s".formatted(directory.resolve("none"))).status()).isEqualTo(3);
        assertThat(scratch.run("trace record %s --out %s".formatted(local, directory.resolve("n"))).status())
                .isEqualTo(3);
    }

    /** Three sizes of cache, each measured on a mount of its own, against what the trace of the first says. */
    @Test
    void whatWasForecastIsMeasured() throws Exception {
        ok("volume create e --compression none --block-size 128KiB --inline 0");
        scratch.fill("e", 256, 131_072);
        Trace trace = null;
        for (int mebibytes : new int[] {8, 16, 24}) {
            var point = directory.resolve("m" + mebibytes);
            try (var _ = new MountedVolume(scratch, "e", point,
                    "--direct-io --readahead 0 --cache-memory %dMiB".formatted(mebibytes))) {
                Work epochs = () -> run(point, "python3", "-c", EPOCHS);
                if (trace == null) {
                    trace = recorded(point, "e.trace", epochs);
                } else {
                    epochs.run();
                }
                var cache = stats(point).cache();
                double measured = (double) cache.hits() / (cache.hits() + cache.misses());
                assertThat(forecast(trace, mebibytes, Rehearsal.Manner.EPOCH)).as("%d MiB", mebibytes)
                        .isCloseTo(measured, within(0.05));
                assertThat(forecast(trace, mebibytes,
                        Rehearsal.Manner.LRU)).as("another policy is another forecast")
                        .isNotCloseTo(measured, within(0.05));
            }
        }
    }

    private static double forecast(Trace trace, int mebibytes, Rehearsal.Manner manner) {
        return Prediction.of(trace, List.of(new ByteSize(mebibytes * ByteSize.MIB)), manner).getFirst().all();
    }

    private MountStats stats(Path point) throws IOException {
        return new Mounts(scratch.homes(), scratch.volumes(), InstantSource.system()).stats(point);
    }

    /** What does not fit is counted; a recording that nobody fetches is over, and one at a time is enough. */
    @Test
    void boundedMemory() throws Exception {
        ok("volume create a");
        scratch.fill("a", 1, 400_000);
        var point = directory.resolve("m");
        var mounts = new Mounts(scratch.homes(), scratch.volumes(), InstantSource.system());
        try (var mount = new MountedVolume(scratch, "a", point, "--direct-io")) {
            long number = mounts.startRecording(point, 2);
            mount.cat("data/f0");
            assertThat(scratch.run("trace record %s --out %s".formatted(point, directory.resolve("second"))).err())
                    .contains("this mount is already being recorded");
            assertThat(directory.resolve("second")).doesNotExist();
            assertThatThrownBy(() -> mounts.stopRecording(point, number - 1))
                    .hasMessageContaining("this recording of the mount has timed out");
            var got = mounts.stopRecording(point, number);
            assertThat(got.requests()).hasSize(2);
            assertThat(got.dropped()).isPositive();
        }
    }

    /** What libfuse answers, nobody here sees: such a mount is not recorded, and it is said how one is. */
    @Test
    void aMountThroughLibfuseIsNotRecorded() throws Exception {
        ok("volume create a");
        var point = directory.resolve("m");
        try (var _ = new MountedVolume(scratch, "a", point, "--transport jnr")) {
            var refused = scratch.run("trace record %s --out %s --duration 100ms"
                    .formatted(point, directory.resolve("t")));
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err()).contains("TRC-0006", "libfuse",
                    "volsh umount %s && volsh mount a:/ %s --transport kernel".formatted(point, point));
            assertThat(directory.resolve("t")).doesNotExist();
        }
    }
}
