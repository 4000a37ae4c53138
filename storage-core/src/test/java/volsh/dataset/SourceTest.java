package volsh.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.shard.Field;

final class SourceTest {
    private static final SourceScan PLAIN = new SourceScan(Optional.empty(), Optional.empty(), () -> false);

    @TempDir
    Path directory;

    private final BadSamples bad = new BadSamples();

    private void files(String... names) throws IOException {
        for (String name : names) {
            Files.createDirectories(directory.resolve(name).getParent());
            Files.writeString(directory.resolve(name), name);
        }
    }

    private SampleTable scanned(SourceScan scan) throws IOException {
        var source = new LocalDirectory(directory);
        var files = scan.scan(source, bad);
        return new SampleTable(files, source, SourceLayout.of(files), bad);
    }

    /** Each sample as {@code key: fields}. */
    private static String text(SampleTable table) {
        var texts = new TreeMap<String, String>();
        for (int i = 0; i < table.count(); i++) {
            var sample = table.sample(i);
            texts.put(sample.key(), String.join(",", sample.fields().stream().map(Field::name).toList()));
        }
        return texts.toString();
    }

    private static String content(SampleTable table, int sample, String field) throws IOException {
        for (var one : table.sample(sample).fields()) {
            if (one.name().equals(field)) {
                return new String(one.open().readAllBytes(), StandardCharsets.UTF_8);
            }
        }
        throw new AssertionError("no field " + field);
    }

    @Test
    void directoriesAreClasses() throws IOException {
        files("cat/a.jpg", "cat/deep/b.jpg", "dog/a.jpg", "README.md");
        var table = scanned(PLAIN);
        assertThat(table.layout()).isEqualTo(SourceLayout.IMAGE_FOLDER);
        assertThat(text(table)).isEqualTo("{cat/a=jpg,cls, cat/deep/b=jpg,cls, dog/a=jpg,cls}");
        assertThat(table.classes().numbers()).containsEntry("cat", 0).containsEntry("dog", 1);
        assertThat(bad.count()).isZero();
        assertThat(bad.ignored()).containsExactly("README.md");
    }

    @Test
    void filesOfOneNameAreASample() throws IOException {
        files("a.jpg", "a.seg.png", "a.cls", "a-b.jpg", "d/a.jpg", ".hidden.jpg", ".git/x.jpg");
        assertThat(text(scanned(PLAIN))).isEqualTo("{a=cls,jpg,seg.png, a-b=jpg, d/a=jpg}");
    }

    @Test
    void patternsSayKeysAndClasses() throws IOException {
        files("images/1-cat.jpg", "labels/1-cat.txt", "images/2-dog.jpg", "labels/2-dog.txt", "other/x.jpg");
        var scan = new SourceScan(Optional.of(Pattern.compile("/(\\d+)-")), Optional.of(Pattern.compile("-(\\w+)\\.")),
                () -> false);
        var table = scanned(scan);
        assertThat(text(table)).isEqualTo("{1=jpg,txt,cls, 2=jpg,txt,cls}");
        assertThat(table.classes().numbers()).containsOnlyKeys("cat", "dog");
        assertThat(bad.reasons()).containsOnlyKeys("not matched by --key");
    }

    private SampleTable manifest(String name, String text) throws IOException {
        var source = new LocalDirectory(directory);
        var files = DatasetManifest.read(name, new BufferedReader(new StringReader(text)), source, PLAIN, bad);
        return new SampleTable(files, source, SourceLayout.SAID, bad);
    }

    @Test
    void manifestsSayWhatTheyKnow() throws IOException {
        files("x/1.jpg", "x/2.jpg");
        var table = manifest("m.csv",
                "path,label,\"the \"\"text\"\"\"\nx/1.jpg,cat,\"a, b\"\nx/2.jpg,dog,c\nx/3.jpg,dog,d\n");
        assertThat(text(table)).isEqualTo("{x/1=jpg,cls,json, x/2=jpg,cls,json}");
        assertThat(content(table, 0, "json")).isEqualTo("{\"the \\\"text\\\"\":\"a, b\"}");
        assertThat(bad.reasons()).containsOnlyKeys("named, but no file");
        var lines = manifest("m.jsonl", "{\"path\": \"./x/1.jpg\", \"class\": 7, \"key\": \"k\"}\n");
        assertThat(text(lines)).isEqualTo("{k=jpg,cls}");
        assertThat(content(lines, 0, "cls")).isEqualTo("7");
    }

    @Test
    void pathsOfAListThatLeadOutGiveKeysThatDoNot() throws IOException {
        files("x/1.jpg", "y/2.jpg");
        var source = new LocalDirectory(directory.resolve("x"));
        var list = "../x/1.jpg\n" + directory.resolve("y/2.jpg") + "\n../y/../y/2.jpg\n";
        var files = DatasetManifest.list(new BufferedReader(new StringReader(list)), source, PLAIN, bad);
        for (int i = 0; i < files.count(); i++) {
            assertThat(files.key(i)).doesNotStartWith("/").doesNotContain("..");
        }
        assertThat(files.key(0)).isEqualTo("x/1");
    }

    @Test
    void whatIsNoManifestIsRefused() {
        assertThatThrownBy(() -> manifest("m.csv", "a,b\n1,2\n")).hasMessageContaining("no column 'path'");
        assertThatThrownBy(() -> manifest("m.csv", "path,b\n1\n")).hasMessageContaining("line 2 has 1 columns");
        assertThatThrownBy(() -> manifest("m.csv", "path\n\"x\n")).hasMessageContaining("not closed");
        assertThatThrownBy(() -> manifest("m.jsonl", "nonsense\n")).hasMessageContaining("line 1 is not a JSON object");
    }

    /** The table goes on in a file, and sorts as texts do. */
    @Test
    void manyFilesNeedLittleMemory() throws IOException {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var names = IntStream.range(0, 60_000).mapToObj(i -> "d%d/%x-%d.jpg".formatted(
                random.nextInt(50), random.nextInt(), i)).toList();
        try (var files = new ScannedFiles(new RecordArena(1))) {
            for (var name : names) {
                files.add(name, new DatasetDirectory.Found(1, 2, 3), ScannedFiles.Said.NOTHING);
            }
            var sorted = IntStream.of(files.order()).mapToObj(files::key).toList();
            assertThat(sorted).as("seed %d", seed).isSorted().hasSize(names.size());
            assertThat(files.path(files.count() - 1)).isEqualTo(names.getLast());
        }
    }
}
