package volsh.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Volumes through the program as users start it, with a home of its own. */
@Timeout(120)
final class VolumesInAProcessTest {
    private static final List<String> HEAVY = List.of(" org.sqlite.", " org.postgresql.", " java.sql.", " net.jpountz.",
            " com.github.luben.", " software.amazon.", " org.apache.hc.",
            " groovy.", " org.codehaus.groovy.", " org.jline.", " org.slf4j.", " volsh.chunk.",
            " volsh.engine.sqlite.");

    @TempDir
    Path directory;

    private ProcessBuilder volsh(String... words) {
        return withHome(Program.of(Main.class, words));
    }

    private ProcessBuilder withHome(ProcessBuilder builder) {
        builder.environment().put("VOLSH_HOME", directory.resolve("home").toString());
        return builder;
    }

    private List<String> classesLoadedBy(String... words) throws Exception {
        Path log = directory.resolve("classes");
        Files.deleteIfExists(log);
        assertThat(Program.run(withHome(Program.logging(log, words))).status()).isZero();
        return Files.readAllLines(log).stream().filter(line -> HEAVY.stream().anyMatch(line::contains)).toList();
    }

    @Test
    void listingAndCompletingLoadNoDatabaseNoCodecAndNoScripting() throws Exception {
        assertThat(classesLoadedBy("volume", "create", "training-data")).as("the detector sees heavy classes")
                .isNotEmpty();
        assertThat(classesLoadedBy("volume", "list", "-o", "name")).isEmpty();
        assertThat(classesLoadedBy("volume", "list", "-o", "json")).isEmpty();
        assertThat(classesLoadedBy("store", "add", "lake", "s3://bucket/x", "--region", "us-east-1")).isEmpty();
        assertThat(classesLoadedBy("store", "list")).isEmpty();
        assertThat(classesLoadedBy("__complete", "--shell", "bash", "--", "volume", "show", "")).isEmpty();
    }

    @Test
    void onlyS3StoresLoadTheAwsSdk() throws Exception {
        assertThat(classesLoadedBy("volume", "create", "training-data"))
                .noneMatch(line -> line.contains(" software.amazon.") || line.contains(" org.apache.hc."));
    }

    @Test
    void onlyVolumesInADatabaseLoadItsDriver() throws Exception {
        assertThat(classesLoadedBy("volume", "create", "training-data"))
                .noneMatch(line -> line.contains(" org.postgresql."));
        assertThat(classesLoadedBy("volume", "show", "training-data"))
                .noneMatch(line -> line.contains(" org.postgresql."));
    }

    @Test
    void aHomeOfSomebodyElseIsExplained() throws Exception {
        Path home = Files.createDirectory(directory.resolve("home"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-xr-xr-x")));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        var builder = volsh("volume", "create", "training-data");
        if (ProcessOwner.read().uid() == 0) {   // whom permissions do not bind, unless it gives up that right
            var bound = List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search");
            assumeTrue(possible(bound), "root cannot give up its rights here");
            builder.command().addAll(0, bound);
        }
        var ended = Program.run(builder);
        assertThat(ended.status()).as(ended.err()).isEqualTo(9);
        assertThat(ended.err())
                .contains("error: the catalog cannot be written: " + home, "permission denied", "VOLSH_HOME=");
        assertThat(home).isEmptyDirectory();
    }

    private static boolean possible(List<String> under) throws Exception {
        var command = new ArrayList<>(under);
        command.add("true");
        return new ProcessBuilder(command).start().waitFor() == 0;
    }

    @Test
    void filesOfTheHomeAreOursAlone() throws Exception {
        assertThat(Program.run(volsh("volume", "create", "training-data")).status()).isZero();
        try (var all = Files.walk(directory.resolve("home"))) {
            for (var path : all.toList()) {
                String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
                assertThat(mode).as(path.toString()).isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
            }
        }
    }
}
