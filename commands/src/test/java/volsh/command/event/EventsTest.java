package volsh.command.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.Cancellation;
import volsh.command.TestHost;
import volsh.command.cache.MountedVolume;
import volsh.command.tree.Scratch;
import volsh.hang.Eventually;
import volsh.place.Chaos;

/** What a mount meets is an event for whoever asks later: here, a store that is down for a while. */
final class EventsTest {

    @TempDir
    Path directory;

    @Test
    void aStoreThatIsDownAndComesBack() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        for (var line : List.of("store add a file://%s/a".formatted(directory), "store add b file://%s/b"
                .formatted(directory), "volume create v --store a,b --mirror 2 --block-size 64KiB --inline 0")) {
            var ended = scratch.run(line);
            assertThat(ended.status()).as(ended.err()).isZero();
        }
        try (var mount = new MountedVolume(scratch, "v", directory.resolve("m"), "")) {
            scratch.volumes().spreading().order("b", Chaos.until(Instant.now().plusSeconds(600)).withDown());
            await(scratch, mount, "store 'b' is down");
            scratch.volumes().spreading().end("b");
            await(scratch, mount, "store 'b' is up again");
        }
        var kinds = scratch.run("events -o csv --columns level,kind,subject --no-headers").out().lines().distinct()
                .toList();
        assertThat(kinds).contains("info,mount,%s/m".formatted(directory), "warning,store,%s/m".formatted(directory),
                "info,store,%s/m"
                .formatted(directory));
        assertThat(scratch.run("events --last 1 -o value:text").out()).isEqualTo("unmounted v:/\n");
    }

    /** What happened is whole, however narrow the window is. */
    @Test
    void theSentenceIsReadableInANarrowWindow() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        var log = Files.createDirectories(directory.resolve("home/state/events")).resolve("events.jsonl");
        String text = "store 'lake' is down: timed out after 30s; writes go to the journal until it is up again";
        Files.writeString(log, """
                {"time":"2026-11-18T10:00:05.5Z","level":"INFO","kind":"mount","subject":"/mnt/training","text":"%s","pid":7}
                """.formatted(text));
        for (int width : new int[] {40, 80}) {
            var narrow = scratch.run(new TestHost().terminal(width).with("NO_COLOR", "1"), "events");
            assertThat(narrow.out()).as("%d columns: %s", width, narrow.err()).contains("  text: " + text + "\n",
                    "/mnt/training").doesNotContain("not shown: TEXT");
        }
        assertThat(scratch.run(new TestHost().terminal(160).with("NO_COLOR", "1"), "events").out())
                .as("in its place where there is room").contains("  " + text + "\n").doesNotContain("text:");
    }

    /** Another process noted the time, and wrote its line after one of a later time was read. */
    @Test
    void whoFollowsSeesWhatWasWrittenLate() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        var log = Files.createDirectories(directory.resolve("home/state/events")).resolve("events.jsonl");
        String line = """
                {"time":"2026-11-18T10:00:0%d.5Z","level":"INFO","kind":"mount","subject":"m","text":"%s","pid":7}
                """;
        Files.writeString(log, line.formatted(5, "first"));
        var host = new TestHost();
        var cancellation = new Cancellation();
        var following = Thread.ofPlatform().start(() ->
                scratch.run(host, "events --follow -o value:text", cancellation));
        try {
            for (var text : List.of("first", "late", "last")) {
                if (!text.equals("first")) {
                    int second = text.equals("late") ? 3 : 6;
                    Files.writeString(log, line.formatted(second, text), StandardOpenOption.APPEND);
                }
                Eventually.value(text + " is shown", host::out, shown -> shown.endsWith(text + "\n"));
            }
        } finally {
            cancellation.request();
            following.join();
        }
        assertThat(host.out()).isEqualTo("first\nlate\nlast\n");
    }

    /**
     * A bit of one copy turns: readers get what was written, and the copy is as it was, whether a reader met it or a
     * scrub.
     */
    @Test
    void aDamagedCopyIsRepaired() throws Exception {
        var scratch = new Scratch(directory.resolve("home"));
        for (var line : List.of("store add a file://%s/a".formatted(directory), "store add b file://%s/b"
                .formatted(directory), "volume create v --store a,b --mirror 2 --block-size 64KiB --inline 0")) {
            scratch.ok(line);
        }
        var bytes = new byte[60_000];
        new SplittableRandom(2).nextBytes(bytes);
        Path source = Files.write(directory.resolve("source"), bytes);
        scratch.ok("put %s v:/f".formatted(source));
        scratch.ok("heal v");   // what a store was too slow for, on a busy machine
        var object = largest(directory.resolve("a"));
        byte[] stored = Files.readAllBytes(object);
        String repaired = "block 0000000000000002 was damaged in store '%s': repaired";
        boolean met = false;
        // which copy is read depends on which store was the faster one
        for (int round = 0; round < 20 && !met; round++) {
            String store = round % 2 == 0 ? "a" : "b";
            flip(largest(directory.resolve(store)));
            try (var mount = new MountedVolume(scratch, "v", directory.resolve("m"), "")) {
                assertThat(mount.cat("f")).isEqualTo(bytes.length);
                var same = new ProcessBuilder("cmp", source.toString(), directory.resolve("m/f").toString()).inheritIO()
                        .start();
                assertThat(same.waitFor()).isZero();
            }
            met = Arrays.equals(Files.readAllBytes(largest(directory.resolve(store))), stored);
            var events = scratch.ok("events -o value:text").out();
            assertThat(events.contains(repaired.formatted(store))).as(events).isEqualTo(met);
            Files.write(largest(directory.resolve(store)), stored);
        }
        assertThat(met).as("a reader met a damaged copy").isTrue();
        flip(object);
        scratch.ok("scrub v --deep");
        assertThat(Files.readAllBytes(object)).isEqualTo(stored);
        assertThat(scratch.ok("events --last 1 -o value:text").out()).contains("damaged: 1; repaired: 1");
        assertThat(scratch.ok("scrub v --deep -o value:damaged").out().strip()).isEqualTo("0");
    }

    private static Path largest(Path store) throws IOException {
        try (var all = Files.walk(store)) {
            return all.filter(Files::isRegularFile).max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
        }
    }

    private static void flip(Path object) throws IOException {
        byte[] bytes = Files.readAllBytes(object);
        bytes[bytes.length / 2] ^= 1;
        Files.write(object, bytes);
    }

    /** Writes until the event is there. */
    private static void await(Scratch scratch, MountedVolume mount, String wanted) throws Exception {
        var bytes = new byte[70_000];
        new SplittableRandom(1).nextBytes(bytes);
        var files = new AtomicInteger();
        Eventually.value("'%s' is an event".formatted(wanted), () -> {
            mount.write("f" + files.getAndIncrement(), bytes);
            return scratch.run("events --kind store -o value:text").out();
        }, events -> events.contains(wanted));
    }
}
