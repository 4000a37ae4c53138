package volsh.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A built image in some directory, driven as a user would: as a program.
 *
 * @param home the directory with bin, lib and runtime
 */
record Image(Path home) {
    /** What a finished program left behind. */
    record Ran(int exit, String out, String err) {}

    /** The image of this checkout. */
    static Image built() {
        return new Image(project().resolve("build/image"));
    }

    /** The directory of this checkout. */
    static Path project() {
        return Path.of(System.getProperty("volsh.project"));
    }

    Path launcher() {
        return home.resolve("bin/volsh");
    }

    /** Runs {@code volsh} with an environment of nothing but the given variables. */
    Ran run(Map<String, String> environment, String... arguments) throws IOException {
        return run(environment, Path.of("/"),
                Stream.concat(Stream.of(launcher().toString()), Stream.of(arguments)).toList());
    }

    /** Runs any program in a directory with an environment of nothing but the given variables, and waits for it. */
    static Ran run(Map<String, String> environment, Path directory, List<String> command) throws IOException {
        Path out = Files.createTempFile("out", ".txt");
        Path err = Files.createTempFile("err", ".txt");
        try {
            var builder = new ProcessBuilder(new ArrayList<>(command))
                    .directory(directory.toFile())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            return new Ran(finish(builder.start()), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    private static int finish(Process process) throws IOException {
        try {
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                throw new IOException("still running after two minutes: " + process.info());
            }
            return process.exitValue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        } finally {
            process.destroyForcibly();
        }
    }
}
