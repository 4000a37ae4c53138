package volsh.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * When {@code ./volsh} builds and when it does not, on a small copy of the project with a Gradle that only pretends.
 */
final class WrapperTest {
    /** Notes that it ran, takes a moment, and leaves an image whose volsh shows where and how it was called. */
    private static final String GRADLE = """
            #!/bin/sh
            echo started >>build/runs
            sleep 0.3
            [ ! -e broken ] || { echo 'error: something broke'; exit 1; }
            mkdir -p build/image/bin
            cat >build/image/bin/volsh <<'END'
            #!/bin/sh
            pwd
            printf '%s\\n' "$@"
            exit 7
            END
            chmod +x build/image/bin/volsh
            : >build/volsh-1.2.3-linux-x86_64.tar.gz
            """;

    @TempDir
    Path directory;

    private Path project;
    private Path source;
    private Path tools;

    @BeforeEach
    void copyTheProject() throws IOException {
        project = Files.createDirectory(directory.resolve("the project"));
        tools = Files.createDirectory(directory.resolve("tools"));
        for (String file : List.of("volsh", "gradle/build.sh")) {
            Files.createDirectories(project.resolve(file).getParent());
            Files.copy(Image.project().resolve(file), project.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        for (String module : List.of("storage-core", "commands", "shell")) {
            Files.createDirectories(project.resolve(module + "/src/main/java"));
            Files.createFile(project.resolve(module + "/build.gradle"));
        }
        for (String file : List.of("build.gradle", "settings.gradle", "jlink", "completions")) {
            Files.createFile(project.resolve(file));
        }
        source = Files.createFile(project.resolve("storage-core/src/main/java/A.java"));
        tool("gradle", GRADLE);
    }

    @Test
    void buildsOnceAndPassesEverythingOn() throws IOException {
        for (int call = 0; call < 2; call++) {
            var ran = volsh("ls", "-l", "a b", "");
            assertThat(ran.exit()).as(ran.err()).isEqualTo(7);
            assertThat(ran.out()).isEqualTo(directory + "\nls\n-l\na b\n\n");
        }
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void buildsAgainWhenASourceChanges() throws IOException {
        volsh("ls");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
        volsh("ls");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void buildsAgainWhenASourceIsRemoved() throws IOException {
        volsh("ls");
        Files.delete(source);
        volsh("ls");
        volsh("ls");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void concurrentCallsShareOneBuild() throws Exception {
        Callable<Image.Ran> call = () -> volsh("ls");
        try (var threads = Executors.newFixedThreadPool(4)) {
            for (var ran : threads.invokeAll(List.of(call, call, call, call))) {
                assertThat(ran.get().exit()).as(ran.get().err()).isEqualTo(7);
            }
        }
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aFailedBuildShowsWhyAndIsTriedAgain() throws IOException {
        Path broken = Files.createFile(project.resolve("broken"));
        var failed = volsh("ls");
        assertThat(failed.exit()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err()).contains("error: something broke", project.resolve("build/build.log").toString());
        Files.delete(broken);
        assertThat(volsh("ls").exit()).isEqualTo(7);
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void worksThroughARelativeSymlink() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("the project/volsh"));
        var ran = Image.run(environment(), directory, List.of(link.toString(), "ls"));
        assertThat(ran.out()).isEqualTo(directory + "\nls\n");
    }

    @Test
    void imagePrintsThePathOfTheTarball() throws IOException {
        var ran = volsh("image");
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).isEqualTo(project + "/build/volsh-1.2.3-linux-x86_64.tar.gz\n");
    }

    @Test
    void saysWhatToDoWithoutJdk25() throws IOException {
        var environment = environment();
        environment.put("VOLSH_JDK", "/nowhere");
        var ran = Image.run(environment, directory, List.of(project.resolve("volsh").toString(), "ls"));
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("VOLSH_JDK=/nowhere is not a JDK 25");
    }

    @Test
    void tellsAUserWithoutRootWhichPackageToInstall() throws IOException {
        Files.delete(tools.resolve("gradle"));
        tool("id", "#!/bin/sh\necho 1000\n");
        for (String name : List.of("sh", "find", "sed", "flock", "mkdir", "dirname", "readlink")) {
            tool(name, "#!/bin/sh\nexec /usr/bin/%s \"$@\"\n".formatted(name));
        }
        var environment = environment();
        environment.put("PATH", tools.toString());
        var ran = Image.run(environment, directory, List.of(project.resolve("volsh").toString(), "ls"));
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("sudo apt-get install --no-install-recommends gradle");
    }

    private Image.Ran volsh(String... arguments) throws IOException {
        var command =
                new ArrayList<>(Stream.concat(Stream.of(project.resolve("volsh").toString()), Stream.of(arguments))
                .toList());
        return Image.run(environment(), directory, command);
    }

    private Map<String, String> environment() {
        return new HashMap<>(Map.of("PATH", tools + ":/usr/bin:/bin", "VOLSH_JDK", System.getProperty("java.home")));
    }

    private long builds() throws IOException {
        return Files.readAllLines(project.resolve("build/runs")).size();
    }

    private void tool(String name, String script) throws IOException {
        Path file = Files.writeString(tools.resolve(name), script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
