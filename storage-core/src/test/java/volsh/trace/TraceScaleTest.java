package volsh.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.cache.Rehearsal;
import volsh.fuse.Asked;
import volsh.unit.ByteSize;

/** Traces of more requests, names and bytes than any buffer takes, with many requests under way at a time. */
final class TraceScaleTest {
    private static final boolean LONG = Boolean.getBoolean("volsh.long");
    private static final int FILES = LONG ? 100_000 : 1_200;
    private static final int DEPTH = 20;
    private static final int LARGE = (3 << 20) + 5;     // of buffers of 1 MiB
    private static final int TOGETHER = 64;

    @TempDir
    Path directory;
    private final List<Asked> requests = new ArrayList<>();
    private long clock;
    private long node = 1;

    /** The requests of a group come at once and are answered together. */
    private Asked ask(String operation, long about, int place) {
        return Asked.of(clock + place, TOGETHER, 7, operation, about, 0);
    }

    private void next() {
        clock += 3 * TOGETHER;
    }

    private long directory(long parent, String name) {
        requests.add(ask("mkdir", parent, 0).named(bytes(name)).found(++node));
        next();
        return node;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Trace recorded() throws IOException {
        var file = directory.resolve("t.trace");
        try (var writer = new TraceWriter(file, Map.of("source", "a:/"))) {
            for (int from = 0; from < requests.size(); from += 1000) {
                writer.add(requests.subList(from, Math.min(from + 1000, requests.size())));
            }
            assertThat(writer.count()).isEqualTo(requests.size());
            writer.finish(0, clock);
        }
        return Trace.read(file);
    }

    /** Directories in directories, and in the deepest one files that are made, written, renamed and read. */
    @Test
    void recordedReadPredictedAndDoneAgain() throws Exception {
        long at = 1;
        for (int i = 0; i < DEPTH; i++) {
            at = directory(at, "d" + i % 10);
        }
        for (int from = 0; from < FILES; from += TOGETHER) {
            int count = Math.min(TOGETHER, FILES - from);
            group(at, from, count);
        }
        var trace = recorded();
        assertThat(trace.whole()).isTrue();
        assertThat(trace.events()).hasSize(requests.size());
        assertThat(trace.events()).noneMatch(event -> event.path().startsWith("#"));
        String deepest = trace.events().get(DEPTH - 1).path();
        assertThat(deepest.split("/")).hasSize(DEPTH);
        assertThat(trace.events().stream().filter(Event::isRead).map(Event::path).distinct()).hasSize(FILES)
                .allMatch(path -> path.startsWith(deepest + "/new"));
        var predicted = Prediction.of(trace, List.of(ByteSize.of("1GiB")), Rehearsal.Manner.LRU).getFirst();
        assertThat(predicted.reads()).isEqualTo(2L * FILES);
        assertThat(predicted.repeated()).isEqualTo(1.0);

        Path root = Files.createDirectory(directory.resolve("root"));
        var replay = new Replay(trace, root, Double.POSITIVE_INFINITY, true);
        assertThat(replay.missing()).isEmpty();
        var result = replay.run(() -> false);
        assertThat(result.otherwise()).isEmpty();
        assertThat(result.skipped().all()).isZero();
        assertThat(result.rows().stream().collect(Collectors.toMap(Replay.Row::operation, Replay.Row::done)))
                .containsEntry("mkdir", (long) DEPTH).containsEntry("create", (long) FILES)
                .containsEntry("read", 2L * FILES);
        try (var left = Files.list(root.resolve(deepest))) {
            assertThat(left.count()).isEqualTo(FILES - FILES / 2);
        }
    }

    private void group(long parent, int from, int count) {
        long first = node + 1;
        node += count;
        for (int i = 0; i < count; i++) {
            requests.add(ask("create", parent, i).named(bytes("f" + (from + i))).found(first + i).opened(first + i, 2));
        }
        next();
        for (int i = 0; i < count; i++) {
            requests.add(ask("write", first + i, i).range(first + i, 0, 10, 10));
        }
        next();
        for (int i = 0; i < count; i++) {
            requests.add(ask("release", first + i, i).range(first + i, 0, 0, 0));
        }
        next();
        for (int i = 0; i < count; i++) {
            requests.add(ask("rename", parent, i).named(bytes("f" + (from + i)))
                    .and(parent, bytes("new" + (from + i))));
        }
        next();
        for (int times = 0; times < 2; times++) {
            for (int i = 0; i < count; i++) {
                requests.add(ask("read", first + i, i).range(first + i, 0, 4096, 10));
            }
            next();
        }
        for (int i = 0; i < count; i++) {
            if ((from + i) % 2 == 1) {
                requests.add(ask("unlink", parent, i).named(bytes("new" + (from + i))));
            }
        }
        next();
    }

    /** A request of more bytes than the buffer. */
    @Test
    void oneRequestOfManyBytes() throws Exception {
        requests.add(ask("lookup", 1, 0).named(bytes("from")).found(2));
        next();
        requests.add(ask("read", 2, 0).range(1, 0, LARGE, LARGE));
        next();
        requests.add(ask("create", 1, 0).named(bytes("to")).found(3).opened(5, 2));
        next();
        requests.add(ask("write", 3, 0).range(5, 0, LARGE, LARGE));
        next();
        requests.add(ask("copy-file-range", 2, 0).range(1, 0, LARGE, LARGE).and(3, bytes("5:" + LARGE)));
        var trace = recorded();
        Path root = Files.createDirectory(directory.resolve("root"));
        var replay = new Replay(trace, root, Double.POSITIVE_INFINITY, true);
        assertThat(replay.missing()).containsExactly(Map.entry("from", (long) LARGE));
        Replay.prepare(root, replay.missing(), new Random(1));
        var result = replay.run(() -> false);
        assertThat(result.otherwise()).isEmpty();
        assertThat(Files.size(root.resolve("to"))).isEqualTo(2L * LARGE);
    }
}
