package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody who is not root mounts, uses and unmounts a volume, through fusermount3. In a mount name space of its own,
 * with a /dev/fuse that everybody may open, as machines usually have it.
 */
@Tag("mount")
final class UnprivilegedMountTest {
    private static final List<String> SOMEBODY = List.of("setpriv", "--reuid", "65534", "--regid", "65534",
            "--clear-groups");

    private static final String NAMESPACE = """
            set -e; mkdir "$1/dev"; mount -t tmpfs none "$1/dev"; mknod -m 666 "$1/dev/fuse" c 10 229
            mount --bind "$1/dev/fuse" /dev/fuse
            shift; exec "$@"
            """;

    private Path home;     // below a directory that somebody may enter, which JUnit's are not
    private Path point;

    @BeforeEach
    void prepare() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to be somebody else");
        assumeTrue(Fusermount.isInstalled() && Programs.isThere("setpriv"), "needs fuse3");
        home = Files.createTempDirectory("volsh-user");
        point = Files.createDirectory(home.resolve("a point"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        Programs.run(home, "chown", "-R", "65534:65534", home.toString());
    }

    @AfterEach
    void clean() throws Exception {
        if (home != null) {
            Programs.run(Path.of("/"), "rm", "-rf", home.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void mountsUsesAndUnmounts(String transport) throws Exception {
        var process = start(transport);
        try (var in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                var out = process.getOutputStream()) {
            assertThat(in.readLine()).isEqualTo("mounted");
            var mounted = point.toString().replace(" ", "\\040");
            assertThat(mounts(process)).contains(mounted, "fuse.volsh volsh:a,\\040b", "user_id=65534");
            assertThat(somebody(process, "cd 'a point'; echo hello > f; mkdir d; mv f d/f; cat d/f; stat -c %u d/f"))
                    .isEqualTo("hello\n65534\n");
            assertThat(Programs.run(
                    home, inside(process, "sh", "-c", "ls 'a point' 2>&1 || echo refused"))).as("root is not let in")
                    .contains("Permission denied", "refused");
            out.write('u');
            out.flush();
            assertThat(in.readLine()).isEqualTo("unmounted");
            assertThat(mounts(process)).doesNotContain(mounted);
            out.write('e');
            out.flush();
            assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(String transport) throws Exception {
        var words = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", NAMESPACE,
                "sh", home.toString()));
        words.addAll(SOMEBODY);
        words.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-Djava.io.tmpdir=" + home, "-cp", readableClassPath(), UnprivilegedMount.class.getName(), transport,
                point.toString()));
        return new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Copies of our classes and of jnr: root's own may be in places nobody else may enter. */
    private String readableClassPath() throws Exception {
        var copies = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(":")) {
            var path = Path.of(entry);
            if (Files.isDirectory(path) || path.getFileName().toString().matches("(jnr-|jffi-|asm-|lz4-|zstd-).*")) {
                copies.add(home.resolve(copies.size() + ".classes").toString());
                Programs.run(home, "cp", "-rL", path.toAbsolutePath().toString(), copies.getLast());
            }
        }
        return String.join(":", copies);
    }

    private String somebody(Process process, String lines) throws Exception {
        var words = new ArrayList<>(SOMEBODY);
        words.addAll(List.of("/bin/sh", "-ec", lines));
        return Programs.run(home, inside(process, words.toArray(String[]::new)));
    }

    /** The command in the name space of the process. */
    private String[] inside(Process process, String... command) {
        var words = new ArrayList<>(List.of("nsenter", "--mount", "--target", Long.toString(process.pid()), "env", "-C",
                home.toString()));
        words.addAll(List.of(command));
        return words.toArray(String[]::new);
    }

    private static String mounts(Process process) throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(process.pid()), "mountinfo"));
    }
}
