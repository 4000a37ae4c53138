package volsh.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;

/**
 * Real mounts, each with one planted trouble, a program that meets it, and the culprit that the doctor names. In the
 * last one found no problem, and nothing of the mount may be named. A machine that is busy with other tests has
 * troubles of its own, so the doctor is asked again, of a mount of its own each time, until it says what it has to;
 * {@code DiagnosisTest} holds what it says of given numbers.
 */
final class SituationsTest {
    private static final String TIME = Boolean.getBoolean("volsh.long") ? "1500ms" : "300ms";
    /** Of the machine, on which other tests may run: not what is planted here. */
    private static final List<String> OF_THE_MACHINE = List.of("a disk of this machine is saturated",
            "programs wait for the CPU", "programs wait for memory");

    private static final String[] CATS = {"cat f*", "cat f*", "cat f*", "cat f*"};

    @TempDir
    static Path directory;
    private static Scratch scratch;

    @BeforeAll
    static void home() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        files("large", 8, 400_000);
        files("many", 40, 400_000);
        files("tiny", 200, 1_000);
        volume("well", "", "large");
    }

    private static void files(String name, int count, int size) throws IOException {
        var source = Files.createDirectories(directory.resolve(name));
        for (int i = 0; i < count; i++) {
            var bytes = new byte[size];
            new SplittableRandom(i).nextBytes(bytes);
            Files.write(source.resolve("f" + i), bytes);
        }
    }

    private static void ok(String line) {
        var ended = scratch.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
    }

    private static void volume(String name, String options, String files) {
        ok("volume create %s --compression none %s".formatted(name, options));
        ok("put -r %s %s:/data".formatted(directory.resolve(files), name));
    }

    /**
     * What the doctor finds while scripts run on the mount, each again and again; without what the machine has to do
     * with.
     */
    private static List<String> found(Predicate<List<String>> so, String volume, String options, String... scripts)
            throws Exception {
        return until(so, () -> asked(Map.of(), volume, options, scripts).stream()
                .filter(each -> !OF_THE_MACHINE.contains(each)).toList());
    }

    /** The first answer that is so. */
    static <T> T until(Predicate<T> so, Callable<T> asking) {
        return Eventually.value("the doctor finds it", asking, so);
    }

    private static Predicate<List<String>> first(String finding) {
        return all -> !all.isEmpty() && all.getFirst().equals(finding);
    }

    private static List<String> asked(Map<String, String> environment, String volume, String options, String... scripts)
            throws Exception {
        var point = directory.resolve("m-" + volume);
        try (var _ = new MountedVolume(scratch, volume, point, options)) {
            var loads = new ArrayList<Process>();
            try {
                for (var script : scripts) {
                    loads.add(new ProcessBuilder("/bin/bash", "-c",
                            "cd %s/data && while :; do %s; done".formatted(point, script))
                            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
                }
                var ended = scratch.run("doctor %s/data --for %s -o value:finding".formatted(point, TIME), environment);
                assertThat(ended.status()).as(ended.err()).isZero();
                return ended.out().lines().toList();
            } finally {
                for (var load : loads) {
                    load.descendants().forEach(ProcessHandle::destroyForcibly);
                    load.destroyForcibly().waitFor();
                }
            }
        }
    }

    @Test
    void aSlowStore() throws Exception {
        ok("store add far 'file://%s?latency=25ms'".formatted(directory.resolve("far")));
        volume("slow", "--store far --block-size 64KiB", "large");
        var late = "the store is slow";
        assertThat(found(first(late), "slow", "--cache-memory 0 --readahead 0 --direct-io", CATS)).first()
                .isEqualTo(late);
    }

    @Test
    void aColdCache() throws Exception {
        ok("store add near 'file://%s?latency=4ms'".formatted(directory.resolve("near")));
        volume("cold", "--store near --block-size 64KiB", "many");
        var cold = "the data is not in the cache yet";
        assertThat(found(first(cold), "cold", "--readahead 0 --direct-io", "cat f*; sleep 9")).first().isEqualTo(cold);
    }

    @Test
    void tinyFiles() throws Exception {
        volume("tiny", "", "tiny");
        var tiny = "the files are tiny";
        assertThat(found(all -> all.contains(tiny), "tiny", "--entry-timeout 0s --attribute-timeout 0s", "cat f*",
                "cat f*")).contains(tiny);
    }

    @Test
    void tinyReads() throws Exception {
        var tiny = "the reads are tiny";
        assertThat(found(all -> all.contains(tiny), "well", "--direct-io", "dd if=f0 bs=4k iflag=direct",
                "dd if=f1 bs=4k iflag=direct")).contains(tiny);
    }

    /** The same stores, with files on all of them, are slow but no longer one. */
    @Test
    void oneStripe() throws Exception {
        for (var name : List.of("a", "b", "c")) {
            ok("store add %s 'file://%s?latency=25ms'".formatted(name, directory.resolve("store-" + name)));
        }
        volume("narrow", "--store a,b,c --layout stripe:1 --block-size 64KiB", "large");
        volume("wide", "--store a,b,c --layout stripe:all --block-size 64KiB", "large");
        var mount = "--cache-memory 0 --readahead 0 --direct-io";
        var one = "files use fewer stores than there are";
        var late = "the store is slow";
        assertThat(found(first(one), "narrow", mount, CATS)).first().isEqualTo(one);
        assertThat(found(all -> all.contains(late) && !all.contains(one), "wide", mount, CATS)).contains(late)
                .doesNotContain(one);
    }

    /** A disk is saturated where the kernel says so: here, in the accounts of a host whose /proc is elsewhere. */
    @Test
    void aSaturatedDisk() throws Exception {
        try (var disk = new BusyDisk(directory.resolve("proc"))) {
            var saturated = "a disk of this machine is saturated";
            var proc = Map.of("VOLSH_PROC", disk.proc().toString());
            assertThat(until(first(saturated), () -> asked(proc, "well", "--direct-io", "cat f* f* f*",
                    "cat f* f* f*"))).first().isEqualTo(saturated);
        }
    }

    /** Somebody else keeps the metadata locked most of the time. */
    @Test
    void throttledMetadata() throws Exception {
        volume("names", "", "tiny");
        var database = scratch.homes().state()
                .resolve("volumes/%s/meta.db".formatted(scratch.volumes().find("names").id()));
        var locking = new ProcessBuilder("python3", "-c", """
                import sqlite3, sys, time
                base = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=600)
                while True:
                    base.execute('BEGIN IMMEDIATE'); time.sleep(0.03); base.execute('ROLLBACK'); time.sleep(0.003)
                """, database.toString()).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        try {
            var late = "metadata requests are slow";
            assertThat(found(first(late), "names", "", "touch n$RANDOM", "touch n$RANDOM", "touch n$RANDOM")).first()
                    .isEqualTo(late);
        } finally {
            locking.destroyForcibly().waitFor();
        }
    }

    @Test
    void tooFewWorkers() throws Exception {
        var little = "the job has too few requests in flight";
        assertThat(found(all -> all.contains(little), "well", "", "cat f*; sleep 0.1")).contains(little);
    }

    /** All is in the cache, and several readers ask for large pieces all the time. */
    @Test
    void nothingIsWrong() throws Exception {
        var read = "cat f* f* f* f* f* f* f* f*";
        assertThat(found(List::isEmpty, "well", "--direct-io", read, read, read)).isEmpty();
    }
}
