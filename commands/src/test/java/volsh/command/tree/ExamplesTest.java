package volsh.command.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.meta.ChildJvm;
import volsh.s3test.S3Server;

/** Every example in the help of every command does what it says: it is run, in a directory and a home made for it. */
final class ExamplesTest {
    private static final int PROCESSES = 1;
    private static final String PASSPHRASE = "a long passphrase";

    @TempDir
    Path directory;

    /**
     * In processes of their own, because examples name files of the working directory; a few beside each other, because
     * examples wait for disks and for intervals most of their time.
     */
    @Test
    void everyExampleRuns() throws Exception {
        var processes = new ArrayList<Process>();
        try (var server = S3Server.another()) {
            server.makeBucket("training");
            for (int part = 0; part < PROCESSES; part++) {
                processes.add(start(part, server));
            }
            var output = new StringBuilder();
            for (int part = 0; part < PROCESSES; part++) {
                assertThat(processes.get(part).waitFor()).as(() -> outputs()).isZero();
                output.append(Files.readString(output(part)));
            }
            check(output.toString());
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private Path output(int part) {
        return directory.resolve("output-" + part);
    }

    private String outputs() {
        return IntStream.range(0, PROCESSES).mapToObj(part -> {
            try {
                return Files.readString(output(part));
            } catch (IOException unreadable) {
                return unreadable.toString();
            }
        }).collect(Collectors.joining());
    }

    private Process start(int part, S3Server server) throws IOException {
        var own = Files.createDirectory(directory.resolve("part-" + part));
        var work = Files.createDirectory(own.resolve("work"));
        var vault = Files.createDirectories(own.resolve("bin")).resolve("vault");
        Files.writeString(vault, "#!/bin/sh\necho " + PASSPHRASE + "\n");
        Files.setPosixFilePermissions(vault, PosixFilePermissions.fromString("rwx------"));
        var process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", ChildJvm.natives(), "-cp",
                absolute(System.getProperty("java.class.path")),
                ExamplesProgram.class.getName(), own.resolve("home").toString(), "" + part, "" + PROCESSES)
                .directory(work.toFile()).redirectErrorStream(true).redirectInput(new File("/dev/null"))
                .redirectOutput(output(part).toFile());
        process.environment().putAll(Map.of("AWS_ENDPOINT_URL_S3", server.endpoint(), "AWS_ACCESS_KEY_ID", "me",
                "AWS_SECRET_ACCESS_KEY", "mine", "AWS_REGION", "eu-central-1", "VOLSH_PASSPHRASE", PASSPHRASE,
                "PATH", vault.getParent() + ":" + System.getenv("PATH")));
        return process.start();
    }

    private static void check(String output) {
        List<String> run = output.lines().filter(line -> line.startsWith("ran: ")).toList();
        assertThat(output.lines().filter(line -> line.startsWith("as json: "))).as(output).hasSizeGreaterThan(30);
        assertThat(run).as(output).hasSizeGreaterThan(25).anyMatch(line -> line.contains("volsh volume create"))
                .anyMatch(line -> line.contains("volsh import s3://")).anyMatch(line -> line.contains("volsh key use"))
                .anyMatch(line -> line.contains("volsh cp -r s3://"));
    }

    private static String absolute(String classPath) {
        return String.join(":",
                List.of(classPath.split(":")).stream().map(part -> Path.of(part).toAbsolutePath().toString()).toList());
    }
}
