package volsh.command.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.tree.Scratch;

/** The limits of lines, each from its far side. */
final class LineLimitsTest {
    @TempDir
    Path directory;

    private Scratch program;

    @BeforeEach
    void open() {
        program = new Scratch(directory.resolve("home"));
    }

    /** 64 MiB of text go through a pipe, one byte more does not. */
    @Test
    void aPipeHoldsSoMuchText() {
        var most = program.run("run -c \"!head -c 67108864 /dev/zero | from lines | count\"");
        assertThat(most.out()).as(most.err()).isEqualTo("1\n");
        var more = program.run("run -c \"!head -c 67108865 /dev/zero | from lines | count\"");
        assertThat(more.err()).contains("a pipe holds at most 64MiB of text");
        assertThat(more.status()).isEqualTo(1);
        assertThat(more.out()).isEmpty();
    }

    @Test
    void filesThatSourceEachOtherEnd() throws IOException {
        Path file = directory.resolve("again.volsh");
        Files.writeString(file, "source " + file + "\n");
        var ended = program.run("run " + file);
        assertThat(ended.err()).contains("files source each other more than 20 deep");
        assertThat(ended.status()).isEqualTo(2);
        var lines = new ArrayList<String>();
        for (int i = 0; i < 30; i++) {   // one after the other is no depth
            lines.add("source " + directory.resolve("one.volsh"));
        }
        Files.writeString(directory.resolve("one.volsh"), "true\n");
        Files.write(file, lines);
        assertThat(program.run("run " + file).status()).isZero();
    }

    /** Results of lines: ten are kept, the older ones are forgotten. */
    @Test
    void tenResultsAreKept() {
        var results = new Results();
        IntStream.range(0, 12).forEach(results::add);
        var told = new TreeMap<String, Object>();
        results.tell((Language) Proxy.newProxyInstance(LineLimitsTest.class.getClassLoader(), new Class<?>[] {Language.class},
                (_, method, arguments) -> method.getName().equals("set") ? told.put((String) arguments[0], arguments[1])
                        : null));
        assertThat(told).hasSize(10).containsEntry("_", 11).containsEntry("_9", 2).doesNotContainKey("_10");
        assertThat(Results.isName("_9")).isTrue();
        assertThat(Results.isName("_10")).isFalse();
    }

    /** More rows than that are shown, but not kept as a result; lazy ones neither. */
    @Test
    void hugeResultsAreNotKept() {
        List<Integer> rows = IntStream.range(0, 5).boxed().toList();
        var columns = Columns.of(Integer.class).number("n", n -> n);
        var kept = new ArrayList<Rows<Integer>>();
        Rows.of(columns, rows).kept(4, kept::add).forEach(_ -> { });
        Rows.lazy(columns, rows.stream()).kept(4, kept::add).forEach(_ -> { });
        assertThat(kept).isEmpty();
        var all = new ArrayList<Integer>();
        Rows.lazy(columns, rows.stream()).kept(4, kept::add).forEach(all::add);
        assertThat(all).as("all are shown").isEqualTo(rows);
        Rows.of(columns, rows).kept(5, kept::add).forEach(_ -> { });
        Rows.lazy(columns, rows.stream()).kept(5, kept::add).forEach(_ -> { });
        assertThat(kept).hasSize(2).allSatisfy(some -> assertThat(some).hasSize(5));
    }

    @Test
    void fiftyEndedJobsAreRemembered() throws IOException {
        Path file = Files.writeString(directory.resolve("jobs.volsh"),
                "true &\nwait\n".repeat(60) + "jobs | count\n");
        var ended = program.run("run " + file);
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Integer.parseInt(ended.out().strip())).isBetween(50, 51);
    }

    /** A line of a job in the background that does not end is written in parts, and none of it is lost. */
    @Test
    void endlessLinesOfJobsAreWrittenInParts() throws IOException {
        var said = new StringBuilder();
        var parts = new ArrayList<Integer>();
        var voice = new Voice(new Outlet() {
            @Override
            public void write(byte[] bytes, boolean error) {
                said.append(new String(bytes, StandardCharsets.UTF_8));
                parts.add(bytes.length);
            }

            @Override
            public void tell(String message) {
                throw new AssertionError(message);
            }
        }, false);
        String piece = "x".repeat(1000);
        for (int i = 0; i < 150; i++) {
            voice.write(piece.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(parts).hasSize(2).allMatch(length -> length > 64 << 10 && length <= (64 << 10) + 1000);
        voice.end();
        assertThat(said.toString()).isEqualTo("x".repeat(150_000) + "\n");
    }
}
