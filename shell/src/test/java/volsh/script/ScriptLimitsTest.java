package volsh.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The limits of scripts, each from its far side. */
@Timeout(120)
final class ScriptLimitsTest {
    @TempDir
    Path directory;

    private Workshop workshop;

    @BeforeEach
    void open() {
        workshop = new Workshop(directory);
    }

    @Test
    void threeMistakesOfManyAreShown() throws IOException {
        String mistakes = IntStream.range(0, 5).mapToObj(i -> "def x" + i + " = new Nonsense" + i + "()")
                .collect(Collectors.joining("\n"));
        var ended = workshop.script(mistakes);
        assertThat(ended.err()).contains("script.groovy:1:", "script.groovy:3:").doesNotContain("script.groovy:4:");
        assertThat(ended.status()).isEqualTo(2);
    }

    /** The innermost six lines that led to a failure, and how many there were besides. */
    @Test
    void aLongChainOfCallsIsCut() throws IOException {
        String calls = IntStream.range(0, 10).mapToObj(i -> "def f" + i + "() {\n  " + (i == 0 ? "fail 'deep'" : "f"
                + (i - 1) + "()") + "\n}").collect(Collectors.joining("\n"));
        var ended = workshop.script(calls + "\nf9()\n");
        assertThat(ended.err()).contains("script.groovy:2: fail 'deep'", "from script.groovy:17: f4()", "from 5 more")
                .doesNotContain("f5()\n");
        var endless = workshop.script("def f() {\n  f()\n}\nf()\n");
        assertThat(endless.err()).contains("the script recurses too deeply").doesNotContain("more");
    }

    @Test
    void threeUnreadFailuresOfManyAreShown() throws IOException {
        var ended = workshop.script("each((1..9).toList(), onError: 'collect') { if (it > 4) fail \"bad $it\" }");
        assertThat(ended.err()).contains("5 of 9 items failed, and the script did not read the failures", "and 2 more");
        assertThat(ended.err().split("bad \\d", -1)).hasSize(4);
        assertThat(ended.status()).isEqualTo(10);
        var three = workshop.script("each((1..9).toList(), onError: 'collect') { if (it > 6) fail \"bad $it\" }");
        assertThat(three.err()).contains("3 of 9 items failed").doesNotContain(" more");
    }

    @Test
    void wideValuesOfAnExpectationAreCut() throws IOException {
        var ended = workshop.script("def text = 'x' * 500\nexpect(text == 'y')");
        assertThat(ended.status()).isEqualTo(11);
        assertThat(ended.err().lines()).allMatch(line -> line.length() < 200).anyMatch(line -> line.endsWith("…"));
    }

    /** Of compiled scripts the newest are kept; a file that is too large to be one is not read. */
    @Test
    void theCacheOfScriptsForgets() throws IOException {
        Path place = Files.createDirectory(directory.resolve("scripts"), PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwx------")));
        for (int i = 0; i < 300; i++) {
            Path file = Files.writeString(place.resolve("old" + i), "");
            Files.setLastModifiedTime(file, FileTime.fromMillis(1000L * (i + 1)));
        }
        var cache = new ScriptCache(place, "test");
        cache.store("new", Map.of("A", new byte[] {1, 2}));
        try (var files = Files.list(place)) {
            assertThat(files.map(file -> file.getFileName().toString())).hasSize(256).contains("new", "old299")
                    .doesNotContain("old0", "old44");
        }
        assertThat(cache.load("new").orElseThrow()).containsOnlyKeys("A");
        cache.store("large", Map.of("A", new byte[16 << 20]));
        assertThat(cache.load("large")).isEmpty();
        cache.store("fits", Map.of("A", new byte[(16 << 20) - 100]));
        assertThat(cache.load("fits")).isPresent();
    }
}
