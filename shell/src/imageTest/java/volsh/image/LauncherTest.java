package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher works wherever the image lies and whatever the environment lacks, and picks the right profile. */
final class LauncherTest {
    private static final String CLASS_LOADING = "-Xlog:class+load:stderr";

    @TempDir
    Path directory;

    @Test
    void tellsItsVersionWithoutAnyEnvironment() throws IOException {
        var ran = Image.built().run(Map.of(), "--version");
        assertVersion(ran);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).contains("25.").doesNotContain("unknown");
    }

    /** What editors complete scripts with is in the image, and what the program in it prints. */
    @Test
    void hasTheWordsOfScriptsForEditors() throws IOException {
        for (var file : Map.of("volsh.gdsl", "gdsl", "VolshDsl.groovy", "groovy").entrySet()) {
            assertThat(Image.built().home().resolve("ide").resolve(file.getKey())).content().contains("VolshDsl")
                    .isEqualTo(Image.built().run(Map.of(), "completion", file.getValue()).out());
        }
    }

    @Test
    void worksWithAnEmptyPath() throws IOException {
        assertVersion(Image.built().run(Map.of("PATH", ""), "--version"));
    }

    @Test
    void worksThroughSymlinks() throws IOException {
        Files.createSymbolicLink(directory.resolve("first"), Image.built().launcher());
        Files.createDirectory(directory.resolve("a b"));
        Path second = Files.createSymbolicLink(directory.resolve("a b/volsh"), Path.of("../first"));
        assertVersion(Image.run(Map.of("PATH", ""), Path.of("/"), List.of(second.toString(), "--version")));
        assertVersion(Image.run(Map.of(), directory, List.of("./first", "--version")));
    }

    @Test
    void worksByABareName() throws IOException {
        assertVersion(Image.run(Map.of(), Image.built().home().resolve("bin"),
                List.of("/bin/sh", "volsh", "--version")));
    }

    @Test
    void worksAfterAMoveAndKeepsItsCache() throws IOException {
        var moved = new Image(directory.resolve("moved here"));
        var copy = Image.run(Map.of("PATH", "/usr/bin:/bin"), directory,
                List.of("cp", "-a", Image.built().home().toString(), moved.home().toString()));
        assertThat(copy.exit()).as(copy.err()).isZero();
        var ran = moved.run(Map.of("VOLSH_JAVA_OPTS", CLASS_LOADING), "--version");
        assertVersion(ran);
        assertThat(ran.err().lines().filter(line -> line.contains(" volsh.shell.Main ")))
                .singleElement().asString().contains("shared objects file");
    }

    @Test
    void runsWithoutItsCacheAndSaysNothing() throws IOException {
        var moved = new Image(directory.resolve("touched"));
        Image.run(Map.of("PATH", "/usr/bin:/bin"), directory,
                List.of("cp", "-r", Image.built().home().toString(), moved.home().toString()));
        var ran = moved.run(Map.of(), "--version");
        assertVersion(ran);
        assertThat(ran.err()).isEmpty();
    }

    @Test
    void aPlainCommandLoadsNoHeavyLibrary() throws IOException {
        var loaded = loadedBy("--version");
        assertThat(loaded).hasSizeGreaterThan(100).contains("volsh.shell.Main");
        assertThat(loaded).noneMatch(name -> name.startsWith("groovy.") || name.startsWith("org.codehaus.groovy.")
                || name.startsWith("org.apache.groovy.") || name.startsWith("org.jline.")
                || name.startsWith("software.amazon."));
    }

    /**
     * The first logger opens every jar of the class path, and what records have of their own is put together when it is
     * used: together a tenth of the time.
     */
    @Test
    void aCommandOnAVolumeAsksForNoLogger() throws IOException {
        var log = directory.resolve("initialized");
        var logged = Map.of("VOLSH_HOME", directory.resolve("home").toString(), "VOLSH_JAVA_OPTS",
                "-Xlog:class+init=info:file=" + log);
        var large = Files.write(directory.resolve("large"), new byte[20 << 20]);
        assertThat(Image.built().run(logged, "volume", "create", "data").exit()).isZero();
        for (var words : List.of("put " + large + " data:/", "ls data:/",
                "get data:/large " + directory.resolve("copy"))) {
            var ran = Image.built().run(logged, words.split(" "));
            assertThat(ran.exit()).as(ran.err()).isZero();
            var initialized = Files.readString(log);
            assertThat(initialized.contains("'volsh/engine/sqlite/SqliteMetaEngine'")).as(words).isTrue();
            assertThat(initialized.lines().filter(line -> line.contains("'java/util/logging/LogManager'")
                    || line.contains("'java/lang/runtime/ObjectMethods'")))
                    .as(words).isEmpty();
        }
    }

    @Test
    void mostClassesOfAPlainCommandComeFromTheCache() throws IOException {
        var ran = Image.built().run(Map.of("VOLSH_JAVA_OPTS", CLASS_LOADING), "--version");
        long all = ran.err().lines().filter(line -> line.contains("source: ")).count();
        long cached = ran.err().lines().filter(line -> line.contains("source: shared objects file")).count();
        assertThat(cached).isGreaterThan(all * 8 / 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mount --foreground data /mnt", "mount -f data /mnt", "bench", "demo",
            "-q mount --foreground"})
    void whatRunsForLongGetsTheOptimizingCompiler(String words) throws IOException {
        assertThat(flags(words)).contains("-XX:+UseParallelGC", "-XX:MaxDirectMemorySize=")
                .doesNotContain("TieredStopAtLevel");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mount data /mnt --transport=jnr", "mount --transport jnr data /mnt", "mount data /mnt"})
    void aMountThroughLibfuseEndsBeforeItAnswersWithoutMemory(String words) throws IOException {
        assertThat(flags(words)).contains("-XX:+ExitOnOutOfMemoryError");
        assertThat(flags("mount data /mnt --transport=kernel")).doesNotContain("ExitOnOutOfMemoryError");
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "get", "cp", "cat", "-q get", "stage"})
    void commandsThatMoveDataHaveBoundedMemory(String words) throws IOException {
        assertThat(flags(words)).contains("-XX:TieredStopAtLevel=1", "-XX:MaxHeapSize=268435456",
                "-XX:MaxDirectMemorySize=268435456");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sync a b", "stage --verify a b", "get -r --checksum a b"})
    void commandsThatComputeDigestsHaveBoundedMemoryAndTheOptimizingCompiler(String words) throws IOException {
        assertThat(flags(words)).contains("-XX:MaxHeapSize=268435456", "-XX:MaxDirectMemorySize=268435456")
                .doesNotContain("TieredStopAtLevel");
    }

    @ParameterizedTest
    @ValueSource(strings = {"checkpoint save c --run r --step 1 --from d", "-q ckpt restore c", "checkpoint verify c"})
    void digestsGetTheOptimizingCompiler(String words) throws IOException {
        assertThat(flags(words)).contains("-XX:Tier4InvocationThreshold=50000", "-XX:+UseSerialGC")
                .doesNotContain("TieredStopAtLevel", "CompileCommand: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "ls", "volume list", "volume create put", "mount data /mnt",
            "checkpoint list c", "checkpoint save c --background --move", ""})
    void otherCommandsStartFast(String words) throws IOException {
        assertThat(flags(words)).contains("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "C", "POSIX", "C.UTF-8", "en_US.ISO-8859-1", "xx_XX.UTF-8"})
    void fileNamesAreUtf8InEveryLocale(String locale) throws IOException {
        var environment = Map.of("LANG", locale, "VOLSH_JAVA_OPTS", "-XshowSettings:properties -version");
        assertThat(Image.built().run(environment).err()).contains("sun.jnu.encoding = UTF-8");
    }

    private static List<String> loadedBy(String... arguments) throws IOException {
        return Image.built().run(Map.of("VOLSH_JAVA_OPTS", CLASS_LOADING), arguments).err().lines()
                .filter(line -> line.contains("source: "))
                .map(line -> line.replaceFirst("^.*\\] ", "").replaceFirst(" source: .*", ""))
                .toList();
    }

    /** The flags the launcher chose for a command line, as the JVM reports them. */
    private static String flags(String words) throws IOException {
        var arguments = Stream.of(words.split(" ")).filter(word -> !word.isEmpty()).toArray(String[]::new);
        var ran = Image.built().run(Map.of("VOLSH_JAVA_OPTS", "-XX:+PrintCommandLineFlags -version"), arguments);
        assertThat(ran.exit()).as(ran.err()).isZero();
        return ran.out() + ran.err();
    }

    private static void assertVersion(Image.Ran ran) {
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).containsPattern("volsh\\s").containsPattern("\\d+\\.\\d+\\.\\d+");
    }

    /**
     * Java has a locale of UTF-8 in any case; what is shown, and the programs that a line starts, follow the person's.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", "C", "de_DE.UTF-8"})
    void programsGetThePersonsLocale(String locale) throws IOException {
        Map<String, String> environment = locale.isEmpty() ? Map.of() : Map.of("LC_ALL", locale);
        assertThat(Image.built().run(environment, "-c", "!echo \"<$LC_ALL>\"").out()).isEqualTo("<" + locale + ">\n");
    }
}
