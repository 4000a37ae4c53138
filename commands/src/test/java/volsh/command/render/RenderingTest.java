package volsh.command.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.unit.ByteSize;
import volsh.unit.Rate;

final class RenderingTest {
    enum State { OK, READ_ONLY }

    record Volume(String name, long used, int mounts, Instant created, Duration age, State state,
            Optional<String> store) {}

    private static final Columns<Volume> COLUMNS = Columns.of(Volume.class)
            .text("name", Volume::name)
            .bytes("used", Volume::used)
            .number("mounts", Volume::mounts)
            .time("created", Volume::created)
            .span("age", Volume::age)
            .text("state", Volume::state)
            .text("storeName", Volume::store).wide();

    private static final Volume TRAIN = new Volume("train", 15_247_433_728L, 8, Instant.parse("2026-11-16T10:15:30.5Z"),
            Duration.ofMinutes(185), State.OK, Optional.of("s3-east"));
    private static final Volume EVAL = new Volume("eval-set", 512, 0, Instant.parse("2026-01-02T03:04:05Z"),
            Duration.ofMillis(1500), State.READ_ONLY, Optional.empty());

    private static String print(Object result, String format) {
        return print(result, format, List.of(), "", true, Integer.MAX_VALUE);
    }

    private static String print(Object result, String format, List<String> columns, String sort, boolean headers,
            int width) {
        return print(result,
                new View(OutputFormat.of(format), columns, sort, headers, () -> ZoneOffset.UTC, width, false, false,
                        true));
    }

    private static String print(Object result, View view) {
        var out = new StringWriter();
        try {
            Rendering.print(result, view, out);
        } catch (IOException never) {
            throw new AssertionError(never);
        }
        return out.toString();
    }

    private static Rows<Volume> two() {
        return Rows.of(COLUMNS, List.of(TRAIN, EVAL));
    }

    @Test
    void tableAlignsNumbersRightAndLeavesOutWideColumns() {
        assertThat(print(two(), "table")).isEqualTo("""
                NAME         USED  MOUNTS  CREATED               AGE  STATE
                train     14.2GiB       8  2026-11-16 10:15:30  3h5m  ok
                eval-set     512B       0  2026-01-02 03:04:05  1.5s  read-only
                """);
    }

    @Test
    void wideShowsAllColumnsAndNothingAsADash() {
        assertThat(print(two(), "wide")).isEqualTo("""
                NAME         USED  MOUNTS  CREATED               AGE  STATE      STORE-NAME
                train     14.2GiB       8  2026-11-16 10:15:30  3h5m  ok         s3-east
                eval-set     512B       0  2026-01-02 03:04:05  1.5s  read-only  -
                """);
    }

    @Test
    void jsonHasExactNumbersAndUtc() {
        assertThat(print(two(), "json")).isEqualTo("""
                [
                  {"name": "train", "usedBytes": 15247433728, "mounts": 8, "created": "2026-11-16T10:15:30.500Z", \
                "ageSeconds": 11100, "state": "ok", "storeName": "s3-east"},
                  {"name": "eval-set", "usedBytes": 512, "mounts": 0, "created": "2026-01-02T03:04:05Z", \
                "ageSeconds": 1.5, "state": "read-only", "storeName": null}
                ]
                """);
        assertThat(print(Rows.of(COLUMNS, List.of()), "json")).isEqualTo("[]\n");
    }

    @Test
    void jsonLinesHasOneObjectPerLine() {
        assertThat(print(two(), "jsonl", List.of("name", "usedBytes"), "", true, 80)).isEqualTo("""
                {"name": "train", "usedBytes": 15247433728}
                {"name": "eval-set", "usedBytes": 512}
                """);
    }

    @Test
    void csvQuotesOnlyWhatNeedsIt() {
        var odd = new Volume("a,\"b\"\nc", 1, 2, TRAIN.created(), TRAIN.age(), State.OK, Optional.empty());
        assertThat(print(Rows.of(COLUMNS, List.of(odd)), "csv")).isEqualTo("""
                name,usedBytes,mounts,created,ageSeconds,state,storeName
                "a,""b""\nc",1,2,2026-11-16T10:15:30.500Z,11100,ok,
                """);
    }

    @Test
    void tsvEscapesTabsAndLineEnds() {
        var odd = new Volume("a\tb\\\nc", 1, 2, TRAIN.created(), TRAIN.age(), State.OK, Optional.empty());
        assertThat(print(Rows.of(COLUMNS, List.of(odd)), "tsv", List.of("name", "used"), "", false, 80))
                .isEqualTo("a\\tb\\\\\\nc\t1\n");
    }

    @Test
    void yamlQuotesWhatItCouldMisread() {
        var odd = new Volume("yes", 1, 2, TRAIN.created(), TRAIN.age(), State.OK, Optional.of("a: b"));
        assertThat(print(Rows.of(COLUMNS, List.of(odd, EVAL)), "yaml", List.of("name", "used", "storeName"), "", true,
                80)).isEqualTo("""
                - name: "yes"
                  usedBytes: 1
                  storeName: "a: b"
                - name: eval-set
                  usedBytes: 512
                  storeName: null
                """);
    }

    @Test
    void nameAndValuePrintOneFieldPerLine() {
        assertThat(print(two(), "name")).isEqualTo("train\neval-set\n");
        assertThat(print(two(), "value:usedBytes")).isEqualTo("15247433728\n512\n");
        assertThat(print(two(), "value:used")).isEqualTo("15247433728\n512\n");
    }

    @Test
    void oneRecordIsKeyAndValueForPeopleAndOneObjectForPrograms() {
        var one = Rows.one(COLUMNS, TRAIN);
        assertThat(print(one, "table")).isEqualTo("""
                name     train
                used     14.2GiB
                mounts   8
                created  2026-11-16 10:15:30
                age      3h5m
                state    ok
                """);
        assertThat(print(one, "json", List.of("name", "mounts"), "", true, 80)).isEqualTo("""
                {
                  "name": "train",
                  "mounts": 8
                }
                """);
        assertThat(print(one, "yaml", List.of("name", "mounts"), "", true, 80)).isEqualTo("name: train\nmounts: 8\n");
        assertThat(print(one, "value:mounts")).isEqualTo("8\n");
    }

    record Bench(String name, ByteSize block, long readBytes, Rate speed, Duration took, double ratio, boolean ok,
                 List<String> tags, Map<String, Integer> counts, Inner inner) {}

    record Inner(ByteSize size, String text) {}

    @Test
    void plainRecordsDescribeThemselves() {
        var bench = new Bench("seq", new ByteSize(4 << 20), 1 << 30, new Rate(200_000_000), Duration.ofNanos(1_234_500),
                0.98765,
                true, List.of("a", "b"), Map.of("k", 1), new Inner(new ByteSize(1024), "t"));
        assertThat(print(bench, "json")).isEqualTo("""
                {
                  "name": "seq",
                  "blockBytes": 4194304,
                  "readBytes": 1073741824,
                  "speedBytesPerSecond": 200000000,
                  "tookSeconds": 0.0012345,
                  "ratio": 0.98765,
                  "ok": true,
                  "tags": ["a","b"],
                  "counts": {"k":1},
                  "inner": {"sizeBytes":1024,"text":"t"}
                }
                """);
        assertThat(print(List.of(bench), "table")).isEqualTo("""
                NAME  BLOCK  READ       SPEED    TOOK  RATIO  OK   TAGS  COUNTS  INNER
                seq    4MiB  1GiB  190.7MiB/s  1.23ms  0.988  yes  a,b   k=1     size=1KiB text=t
                """);
    }

    @Test
    void scalarsMapsAndNothing() {
        assertThat(print("hello", "table")).isEqualTo("hello\n");
        assertThat(print(42, "json")).isEqualTo("{\n  \"value\": 42\n}\n");
        assertThat(print(Map.of("a", 1), "table")).isEqualTo("a  1\n");
        assertThat(print(List.of(), "table")).isEmpty();
        assertThat(print(List.of(), "json")).isEqualTo("[]\n");
        assertThat(print(null, "json")).isEmpty();
        assertThat(print(new Text("as it is\n"), "table")).isEqualTo("as it is\n");
        assertThat(print(new Text("x"), "jsonl")).isEqualTo("{\"text\": \"x\"}\n");
        assertThat(print(Stream.of("a", "b"), "name")).isEqualTo("a\nb\n");
    }

    @Test
    void sortsByExactValues() {
        var third = new Volume("z", 1_000_000, 3, TRAIN.created(), TRAIN.age(), State.OK, Optional.of("a"));
        var rows = List.of(TRAIN, EVAL, third);
        assertThat(print(Rows.of(COLUMNS, rows), "name", List.of(), "used", true, 80))
                .isEqualTo("eval-set\nz\ntrain\n");
        assertThat(print(Rows.of(COLUMNS, rows), "name", List.of(), "-usedBytes", true, 80))
                .isEqualTo("train\nz\neval-set\n");
        assertThat(print(Rows.of(COLUMNS, rows), "name", List.of(), "-storeName", true, 80))
                .isEqualTo("train\nz\neval-set\n");
    }

    @Test
    void unknownColumnsAreRefusedWithTheOnesThatExist() {
        assertThatThrownBy(() -> print(two(), "table", List.of("nmae"), "", true, 80))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no column 'nmae' here (did you mean name?)");
        assertThatThrownBy(() -> OutputFormat.of("xml"))
                .hasMessageContaining("'xml' is not an output format (try table, wide, json");
        assertThatThrownBy(() -> OutputFormat.of("value:")).isInstanceOf(IllegalArgumentException.class);
    }

    private static final Volume LONG_NAME = new Volume("a-very-long-volume-name-of-some-job-step-99", 15_247_433_728L,
            8, TRAIN.created(), TRAIN.age(), State.OK, Optional.of("s3"));

    /** A checkpoint is known by its run and step; its path says the same in more letters. */
    @Test
    void aNarrowTableOfCheckpointsHasMoreThanPaths() {
        var columns = Columns.of(Long.class).text("path", step -> "/checkpoints/llama-70b/step-%012d".formatted(step))
                .text("run", _ -> "llama-70b").number("step", step -> step).text("state", _ -> "valid")
                .time("saved", _ -> Instant.parse("2026-11-16T10:15:30Z")).number("files", _ -> 1234)
                .bytes("size", _ -> new ByteSize(140_000L << 20));
        assertThat(print(Rows.of(columns, List.of(5000L)), "table", List.of(), "", true, 40)).isEqualTo("""
                RUN        STEP  STATE  SAVED
                llama-70b  5000  valid  2026-11-16 10:15
                not shown: PATH, FILES, SIZE; -o wide
                shows all
                """);
        assertThat(print(Rows.of(columns, List.of(5000L)), "table", List.of(), "", true, 120)).startsWith("PATH ");
    }

    private static String narrow(String format, int width) {
        return print(Rows.of(COLUMNS, List.of(LONG_NAME, EVAL)), format, List.of(), "", true, width);
    }

    /** Times are shortened before anything else; then columns go as a whole; names and numbers are never cut. */
    @Test
    void aNarrowTerminalKeepsTheNames() {
        assertThat(narrow("table", 96)).isEqualTo("""
                NAME                                            USED  MOUNTS  CREATED            AGE  STATE
                a-very-long-volume-name-of-some-job-step-99  14.2GiB       8  2026-11-16 10:15  3h5m  ok
                eval-set                                        512B       0  2026-01-02 03:04  1.5s  read-only
                """);
        assertThat(narrow("table", 90)).contains("CREATED      AGE  STATE\n", "2026-11-16  3h5m  ok\n");
        assertThat(narrow("table", 76)).isEqualTo("""
                NAME                                            USED  MOUNTS  STATE
                a-very-long-volume-name-of-some-job-step-99  14.2GiB       8  ok
                eval-set                                        512B       0  read-only
                not shown: CREATED, AGE; -o wide shows all
                """);
        assertThat(narrow("table", 30)).isEqualTo("""
                NAME
                a-very-long-volume-name-of-some-job-step-99
                eval-set
                not shown: USED, MOUNTS,
                CREATED, AGE, STATE; -o wide
                shows all
                """);
        assertThat(print(Rows.of(COLUMNS, List.of(LONG_NAME)), "table", List.of(), "", false, 30))
                .doesNotContain("not shown");
    }

    /** Columns that say nothing go first, then those of least use; what stands before a name at the end stays. */
    @Test
    void whatSaysLittleGoesFirst() {
        record Row(String mode, String owner, long links, String note, String about, String name) {}
        var rows = List.of(new Row("rw-", "somebody", 3, "-", "what is known", "some-file"),
                new Row("r--", "somebody", 12, "-", "what else is known", "a-file-of-a-long-name"));
        var view = new View(OutputFormat.TABLE, List.of(), "", true, () -> ZoneOffset.UTC, 52, true, false, true);
        assertThat(print(rows, view)).isEqualTo("""
                MODE  ABOUT               NAME
                rw-   what is known       some-file
                r--   what else is known  a-file-of-a-long-name
                not shown: OWNER, LINKS, NOTE; -o wide shows all
                """);
        var narrow = new View(OutputFormat.TABLE, List.of(), "", true, () -> ZoneOffset.UTC, 24, true, false, true);
        assertThat(print(rows, narrow)).contains("r--   a-file-of-a-long-name\n");
    }

    /** All columns that were asked for: shortened where that helps, left to wrap where it does not; never both. */
    @Test
    void aWideTableIsWholeOrFits() {
        assertThat(narrow("wide", 104).lines())
                .allSatisfy(line -> assertThat(DisplayWidth.of(line)).isLessThanOrEqualTo(104));
        assertThat(narrow("wide", 40)).contains(LONG_NAME.name(), "2026-11-16 10:15:30", "STORE-NAME");
        assertThat(print(Rows.of(COLUMNS, List.of(LONG_NAME)), "table", List.of("name", "created"), "", true, 40))
                .contains("2026-11-16", "a-very").doesNotContain("not shown");
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1, 10, 40})
    void anyWidthSurvivesWithEveryDigit(int width) {
        assertThat(print(two(), "wide", List.of(), "", true, width)).contains("14.2GiB", "2026-11-16", "3h5m")
                .hasLineCount(3);
        assertThat(print(two(), "table", List.of(), "", true, width)).contains("NAME", "tr", "not shown: ");
    }

    @Test
    void statesHaveColours() {
        var view = new View(OutputFormat.TABLE, List.of(), "", true, () -> ZoneOffset.UTC, 100, true, true, true);
        record Row(String name, String state) {}
        String table = print(List.of(new Row("a", "ok"), new Row("b", "damaged"), new Row("c", "at risk"),
                new Row("ok", "-")), view);
        assertThat(table).contains("\u001b[32mok\u001b[0m\n", "\u001b[31;1mdamaged\u001b[0m\n",
                "\u001b[33mat risk\u001b[0m\n", "ok    -\n");
    }

    @Test
    void withoutUnicodeTheEllipsisIsAscii() {
        var view = new View(OutputFormat.TABLE, List.of("name", "text"), "", false, () -> ZoneOffset.UTC, 12, true,
                false, false);
        record Row(String name, String text) {}
        assertThat(print(List.of(new Row("a", "abcdefghijklmnopqrstuvwxyz")), view)).isEqualTo("a  abcd...yz\n");
    }

    @Test
    void wideCharactersCountTwiceAndCombiningOnesNothing() {
        var rows = List.of(Map.of("name", "数据集"), Map.of("name", "e\u0301t\u00e9"), Map.of("name", "\uD83D\uDE80x"));
        var columns = Columns.of(Map.class).text("name", map -> map.get("name")).text("end", map -> "|");
        assertThat(print(Rows.of(columns, rows), "table", List.of(), "", false, 80)).isEqualTo("""
                数据集  |
                e\u0301t\u00e9     |
                \uD83D\uDE80x     |
                """);
        assertThat(DisplayWidth.elide("数据集数据集", 6, "…")).isEqualTo("数据…");
        assertThat(DisplayWidth.elide("数据集数据集", 8, "…")).isEqualTo("数据…集");
    }

    private static final List<String> HOSTILE = List.of("\u001b]0;owned\u0007", "\u001b[2J", "a\nb", "a\rb",
            "\u009b31m", "x\u202etxt.exe",
            "\u0000", "\u007f", "\ud800", "a\tb", "\u2028", "\u0085", "\ufeffx");

    @ParameterizedTest
    @ValueSource(strings = {"table", "wide", "json", "jsonl", "csv", "tsv", "yaml", "name", "value:name"})
    void aHostileNameNeverReachesATerminal(String format) {
        for (String name : HOSTILE) {
            var view = new View(OutputFormat.of(format), List.of(), "", true, () -> ZoneOffset.UTC, 80, true, false,
                    true);
            String many = print(List.of(Map.of("name", name)), view);
            String single = print(Map.of("name", name), view);
            for (String printed : List.of(many, single)) {
                assertThat(printed.replace("\n", "").replace("\t", "").chars())
                        .as("%s of %s", format, Printable.of(name))
                        .noneMatch(c -> c < ' ' || c >= 0x7f && c < 0xa0);
            }
        }
    }

    @Test
    void escapesAreReadable() {
        assertThat(HOSTILE.stream().map(Printable::of))
                .containsExactly("\\x1b]0;owned\\x07", "\\x1b[2J", "a\\nb", "a\\rb", "\\x9b31m",
                "x\\u202etxt.exe", "\\x00", "\\x7f", "\\ud800", "a\\tb", "\\u2028", "\\x85", "\\ufeffx");
        assertThat(Printable.of("grün 数据 \uD83D\uDE80 \\n")).isEqualTo("grün 数据 \uD83D\uDE80 \\n");
        assertThat(Printable.lines("a\n\u001bb\n")).isEqualTo("a\n\\x1bb\n");
    }

    @Test
    void jsonReadsBackExactly() throws IOException {
        for (String name : HOSTILE) {
            var text = new StringWriter();
            Json.string(name, text);
            try (var parser = new JsonFactory().createParser(text.toString())) {
                parser.nextToken();
                assertThat(parser.getText()).isEqualTo(name);
            }
        }
        assertThat(Json.of(Arrays.asList(1, null, Double.NaN, true, "x"))).isEqualTo("[1,null,null,true,\"x\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "jsonl", "csv", "tsv", "yaml", "name", "value:name"})
    void streamsAreNotCollected(String format) throws IOException {
        var made = new AtomicInteger();
        var seen = new ArrayList<Integer>();
        var closed = new AtomicBoolean();
        Stream<Map<?, ?>> rows = IntStream.range(0, 1000).<Map<?, ?>>mapToObj(i -> {
            made.incrementAndGet();
            return Map.of("name", "row" + i);
        }).onClose(() -> closed.set(true));
        var columns = Columns.<Map<?, ?>>of(null).text("name", row -> row.get("name"));
        var watching = new Writer() {
            @Override
            public void write(char[] text, int offset, int length) {
                if (new String(text, offset, length).contains("row")) {
                    seen.add(made.get());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        var view = new View(OutputFormat.of(format), List.of(), "", true, () -> ZoneOffset.UTC, 80, false, false, true);
        Rendering.print(Rows.lazy(columns, rows), view, watching);
        assertThat(seen).hasSizeGreaterThanOrEqualTo(1000).startsWith(1);
        assertThat(closed).isTrue();
    }

    @Test
    void tablesHoldOnePageAtATime() {
        var columns = Columns.<Integer>of(Integer.class).number("n", n -> n).text("name", n -> "x".repeat(n / 1000));
        String table = print(Rows.lazy(columns, IntStream.range(0, 2500).boxed()), "table");
        assertThat(table.lines()).hasSize(2501);
        assertThat(table.lines().skip(1).findFirst().orElseThrow()).isEqualTo("  0  -");
        assertThat(table.lines().reduce((a, b) -> b).orElseThrow()).isEqualTo("2499  xx");
    }

    @Test
    void headingsAreBoldOnlyInColour() {
        var view = new View(OutputFormat.TABLE, List.of("name"), "", true, () -> ZoneOffset.UTC, 80, true, true, true);
        assertThat(print(two(), view)).startsWith("\u001b[1mNAME\u001b[0m").endsWith("eval-set\n");
    }
}
