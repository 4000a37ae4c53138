package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The native libraries come from the image's own lib/native: nothing is unpacked, and nothing else is written to a
 * shared directory.
 */
final class NativeLibrariesTest {
    /**
     * The calls that can make or change a file, and of a line of their trace the call, the (first) path and what
     * follows it.
     */
    private static final String CALLS = "trace=open,openat,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,"
            + "link,linkat,symlink,symlinkat,truncate";

    private static final Pattern CALL = Pattern.compile("^\\d+ +(\\w+)\\([^\"]*\"([^\"]*)\"(.*)");
    private static final Pattern FOR_WRITING = Pattern.compile("O_(WRONLY|RDWR|CREAT)");

    @TempDir
    Path directory;

    @BeforeAll
    static void straceIsInstalled() {
        assumeTrue(Files.exists(Path.of("/usr/bin/strace")), "strace is not installed");
    }

    @Test
    void nothingIsWrittenOutsideTheDatabase() throws IOException {
        Path database = directory.resolve("test.db");
        var ran = traced(options(""), database);
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).contains("lz4 34", "zstd 34", "sqlite 3.");
        assertThat(written()).isNotEmpty().allMatch(path -> path.startsWith(database.toString()));
        assertThat(loaded()).containsExactlyInAnyOrder("liblz4-java.so", "libsqlitejdbc.so", "libzstd-jni-1.5.7-25.so");
    }

    /** Negative control: with performance data on, the JVM writes to the temp directory, and the test must see it. */
    @Test
    void aWriteToTheTempDirectoryIsSeen() throws IOException {
        traced(options("-XX:+UsePerfData"), directory.resolve("test.db"));
        assertThat(written()).anyMatch(path -> path.contains("hsperfdata"));
    }

    private Image.Ran traced(String options, Path database) throws IOException {
        var command = new ArrayList<>(List.of("/usr/bin/strace", "-f", "-qq", "-o", trace().toString(), "-e", CALLS));
        command.addAll(List.of(Image.built().launcher().toString(), database.toString()));
        return Image.run(Map.of("VOLSH_JAVA_OPTS", options), Image.project(), command);
    }

    /** Options that make the launcher's JVM start {@link NativeProbe}: what follows a main class are its arguments. */
    private static String options(String more) {
        return more + " -cp shell/build/classes/java/imageTest:build/image/lib/* " + NativeProbe.class.getName();
    }

    private Path trace() {
        return directory.resolve("trace.txt");
    }

    private List<String> written() throws IOException {
        try (var lines = Files.lines(trace())) {
            return lines.flatMap(NativeLibrariesTest::writes).toList();
        }
    }

    private static Stream<String> writes(String line) {
        return CALL.matcher(line).results()
                .filter(call -> !call.group(1).startsWith("open") || FOR_WRITING.matcher(call.group(3)).find())
                .map(call -> call.group(2))
                .filter(path -> !path.startsWith("/dev/") && !path.startsWith("/proc/"));
    }

    private List<String> loaded() throws IOException {
        try (var lines = Files.lines(trace())) {
            return lines.filter(line -> line.contains("openat") && !line.contains("ENOENT"))
                    .flatMap(line -> Pattern.compile("/lib/native/([^\"/]*\\.so)\"").matcher(line).results())
                    .map(match -> match.group(1))
                    .distinct()
                    .toList();
        }
    }
}
