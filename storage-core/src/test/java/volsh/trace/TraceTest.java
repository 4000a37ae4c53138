package volsh.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.cache.Rehearsal;
import volsh.fuse.Asked;
import volsh.unit.ByteSize;

/**
 * Traces that were made here: what was written is read, done again as it was asked, and tried on caches of other sizes.
 */
final class TraceTest {
    private static final long MS = 1_000_000;

    @TempDir
    Path directory;
    private long clock;

    private Asked ask(String operation, long node) {
        clock += 2 * MS;
        return Asked.of(clock, MS, 7, operation, node, 0);
    }

    private Asked failed(String operation, long node) {
        var asked = ask(operation, node);
        return Asked.of(asked.begin(), asked.took(), 7, operation, node, 2);
    }

    private static byte[] name(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Path written(List<Asked> requests, long dropped) throws IOException {
        var file = directory.resolve("t.trace");
        try (var writer = new TraceWriter(file, Map.of("source", "a:/"))) {
            writer.add(requests);
            for (long node = 2; node < 100; node++) {
                if (writer.isNameless(node)) {
                    writer.name(node, 1, name("old-" + node));
                }
            }
            writer.finish(dropped, clock);
        }
        return file;
    }

    @Test
    void whatWasWrittenIsRead() throws IOException {
        var odd = new byte[] {'a', ' ', (byte) 0xff, '%', '\n', 'z'};
        var requests = List.of(ask("lookup", 1).named(odd).found(5), ask("read", 5).range(3, 4096, 131072, 131000),
                ask("getattr", 9), ask("copy-file-range", 5).range(3, 0, 10, 10).and(9, name("4:0")));
        var trace = Trace.read(written(requests, 12));
        assertThat(trace.whole()).isTrue();
        assertThat(trace.dropped()).isEqualTo(12);
        assertThat(trace.header()).containsEntry("source", "a:/");
        assertThat(trace.events()).hasSize(4);
        assertThat(trace.events().getLast().asked().name()).isEmpty();
        assertThat(trace.events().getLast().asked().otherName()).isEqualTo(name("4:0"));
        assertThat(trace.events().getFirst().asked().name()).isEqualTo(odd);
        assertThat(trace.events().get(1).asked().result()).isEqualTo(131000);
        assertThat(trace.events().get(1).path()).isEqualTo(trace.events().getFirst().path());
        assertThat(trace.events().get(2).path()).isEqualTo("old-9");
    }

    /** A file keeps its inode, and is found under the name it had when a request came. */
    @Test
    void namesAreFollowed() throws IOException {
        var trace = Trace.read(written(List.of(ask("mkdir", 1).named(name("d")).found(2), ask("create",
                2).named(name("f")).found(3).opened(1, 1),
                ask("write", 3).range(1, 0, 10, 10), ask("rename2", 2).named(name("f")).and(1, name("g")),
                ask("read", 3).range(1, 0, 10, 10)), 0));
        assertThat(trace.events()).extracting(Event::path).containsExactly("d", "d/f", "d/f", "d/f", "g");
        assertThat(trace.events().get(3).otherPath()).isEqualTo("g");
    }

    /**
     * A job that runs has files open: what is asked of them comes before any request that tells their names, and is
     * done again under these.
     */
    @Test
    void namesThatAreToldLaterCount() throws Exception {
        var trace = Trace.read(written(List.of(ask("read", 5).range(9, 0, 10, 4), ask("lookup", 4).named(name("f"))
                .found(5), ask("lookup", 1).named(name("d")).found(4), ask("read", 5).range(9, 0, 10, 4),
                ask("read", 7).range(8, 0, 10, 4), ask("create", 1).named(name("new")).found(7).opened(8, 1),
                ask("read", 200).range(7, 0, 10, 4), ask("flush", 5)), 0));
        assertThat(trace.events()).extracting(Event::path)
                .containsExactly("d/f", "d/f", "d", "d/f", "#7", "new", "#200", "d/f");
        var root = Files.createDirectory(directory.resolve("root"));
        Files.writeString(Files.createDirectory(root.resolve("d")).resolve("f"), "four");
        var result = new Replay(trace, root, Double.POSITIVE_INFINITY, false).run(() -> false);
        assertThat(result.different()).isZero();
        assertThat(result.skipped()).as("of a file that is no longer, or was made later under that number")
                .isEqualTo(new Replay.Skipped(1, 2, 1));
    }

    @Test
    void oneThatWasCutOffOrIsNone() throws IOException {
        var requests = new ArrayList<Asked>();
        var random = new Random(1);
        for (int i = 0; i < 5_000; i++) {
            requests.add(ask("read", 2).range(1, random.nextLong(1L << 40), 4096, 4096));
        }
        var whole = Files.readAllBytes(written(requests, 0));
        var cut = Files.write(directory.resolve("cut"), Arrays.copyOf(whole, whole.length / 2));
        var trace = Trace.read(cut);
        assertThat(trace.whole()).isFalse();
        assertThat(trace.events().size()).isBetween(1, 4_999);
        assertThatThrownBy(() -> Trace.read(Files.writeString(directory.resolve("none"),
                "volsh-trace 1\n"))).isInstanceOf(IOException.class).hasMessageContaining("not a valid trace");
    }

    /**
     * What a trace did to a directory is done again: the same files of the same length, in an order that makes sense,
     * also as fast as it goes.
     */
    @Test
    void doneAgainOnADirectory() throws Exception {
        var trace = Trace.read(written(List.of(ask("mkdir", 1).named(name("d")).found(2), ask("create",
                2).named(name("f")).found(3).opened(1, 1),
                ask("write", 3).range(1, 0, 70_000, 70_000), ask("release", 3).opened(1, 0),
                ask("rename2", 2).named(name("f")).and(1, name("g")),
                ask("open", 3).opened(2, 0), ask("read", 3).range(2, 65_536, 65_536, 70_000 - 65_536),
                ask("release", 3).opened(2, 0),
                ask("symlink", 1).named(name("s")).and(0, name("g")).found(4), failed("lookup", 1).named(name("g")),
                ask("setattr", 3).range(0, 0, 1_000, 0),
                ask("open", 20).opened(3, 0), ask("read", 20).range(3, 0, 5_000, 5_000),
                ask("rmdir", 1).named(name("d"))), 0));
        var root = Files.createDirectory(directory.resolve("root"));
        var replay = new Replay(trace, root, Double.POSITIVE_INFINITY, true);
        assertThat(replay.missing()).containsExactly(Map.entry("old-20", 5_000L));
        Replay.prepare(root, replay.missing(), new Random(1));
        var result = replay.run(() -> false);
        // the lookup of what is there failed in the trace: that is different here, and the only thing
        assertThat(result.rows().stream().filter(row -> row.different() > 0).map(Replay.Row::operation))
                .containsExactly("lookup");
        assertThat(result.rows().stream().mapToLong(Replay.Row::done).sum()).isEqualTo(trace.events().size());
        assertThat(Files.size(root.resolve("g"))).isEqualTo(1_000);
        assertThat(Files.readSymbolicLink(root.resolve("s"))).isEqualTo(Path.of("g"));
        assertThat(root.resolve("d")).doesNotExist();
    }

    /** A trace that somebody made up does nothing outside the directory, and nothing by way of a link in it. */
    @Test
    void aTraceDoesNotLeadOutOfItsDirectory() throws Exception {
        var trace = Trace.read(written(List.of(ask("mkdir", 1).named(name("..")).found(2),
                ask("create", 2).named(name("f")).found(3).opened(1, 1), ask("write", 3).range(1, 0, 10, 10),
                ask("lookup", 1).named(name("link")).found(5), ask("create", 5).named(name("g")).found(6).opened(2, 1),
                ask("create", 1).named(name("file")).found(7).opened(3, 1), ask("write", 7).range(3, 0, 10, 10)), 0));
        var root = Files.createDirectory(directory.resolve("root"));
        var victim = Files.createDirectory(directory.resolve("victim"));
        Files.writeString(victim.resolve("precious"), "data");
        Files.createSymbolicLink(root.resolve("link"), victim);
        Files.createSymbolicLink(root.resolve("file"), victim.resolve("precious"));
        var result = new Replay(trace, root, Double.POSITIVE_INFINITY, true).run(() -> false);
        assertThat(result.different()).isPositive();
        assertThat(directory.resolve("f")).doesNotExist();
        assertThat(victim.resolve("g")).doesNotExist();
        assertThat(victim.resolve("precious")).hasContent("data");
    }

    @Test
    void withoutWritesNothingChanges() throws Exception {
        var trace = Trace.read(written(List.of(ask("create", 1).named(name("f")).found(3).opened(1, 1), ask("write", 3)
                .range(1, 0, 10, 10), ask("unlink", 1).named(name("kept")), ask("open", 20).opened(3, 01001)), 0));
        var root = Files.createDirectory(directory.resolve("root"));
        Files.writeString(root.resolve("kept"), "kept");
        Files.writeString(root.resolve("old-20"), "whole");
        var result = new Replay(trace, root, Double.POSITIVE_INFINITY, false).run(() -> false);
        assertThat(result.skipped()).isEqualTo(new Replay.Skipped(3, 0, 0));
        assertThat(root.resolve("f")).doesNotExist();
        assertThat(Files.readString(root.resolve("kept"))).isEqualTo("kept");
        assertThat(Files.readString(root.resolve("old-20"))).isEqualTo("whole");
    }

    /** Two requests that were under way together are, and one that came later waits for both. */
    @Test
    void orderIsThatOfTheRecording() throws Exception {
        var root = Files.createDirectory(directory.resolve("root"));
        var requests = new ArrayList<Asked>();
        // made by one, read by another, removed by a third: each must find what it needs
        for (int i = 0; i < 200; i++) {
            long node = 100 + i;
            requests.add(ask("create", 1).named(name("f" + i)).found(node).opened(node, 1));
            requests.add(ask("write", node).range(node, 0, 100, 100));
            requests.add(ask("read", node).range(node, 0, 100, 100));
            var both = ask("getattr", node);
            requests.add(both);
            requests.add(new Asked(both.begin(), 3 * MS / 2, 9, "getattr", node, 0, 0, 0, 0, 0, 0, 0, new byte[0],
                    new byte[0]));
            requests.add(ask("release", node).opened(node, 0));
            requests.add(ask("unlink", 1).named(name("f" + i)));
        }
        var result = new Replay(Trace.read(written(requests, 0)), root, Double.POSITIVE_INFINITY,
                true).run(() -> false);
        assertThat(result.different()).isZero();
        assertThat(root).isEmptyDirectory();
    }

    /**
     * A loop over more than fits: lru has nothing of it, what mounts do has its share; with room for all, both have all
     * but the first pass.
     */
    @Test
    void cachesOfOtherSizes() throws IOException {
        var requests = new ArrayList<Asked>();
        for (int epoch = 0; epoch < 5; epoch++) {
            for (int file = 0; file < 100; file++) {
                requests.add(ask("read", 2 + file).range(file, 0, Prediction.FRAME, Prediction.FRAME));
            }
        }
        var trace = Trace.read(written(requests, 0));
        long data = 100L * Prediction.FRAME;
        var sizes = List.of(new ByteSize(data / 2), new ByteSize(data));
        var epoch = Prediction.of(trace, sizes, Rehearsal.Manner.EPOCH);
        var lru = Prediction.of(trace, sizes, Rehearsal.Manner.LRU);
        assertThat(lru).extracting(Prediction::repeated).containsExactly(0.0, 1.0);
        assertThat(lru.getLast().all()).isEqualTo(0.8);
        assertThat(epoch.getLast().repeated()).isEqualTo(1);
        assertThat(epoch.getFirst().repeated()).isBetween(0.4, 0.55);
        assertThat(epoch.getFirst().data().bytes()).isEqualTo(data);
        Collections.reverse(requests);   // the order in the file does not matter, but times do
        assertThat(Prediction.of(Trace.read(rewritten(requests)), sizes, Rehearsal.Manner.LRU)).isEqualTo(lru);
    }

    private Path rewritten(List<Asked> requests) throws IOException {
        Files.delete(directory.resolve("t.trace"));
        return written(requests, 0);
    }
}
