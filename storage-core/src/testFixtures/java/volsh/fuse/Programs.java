package volsh.fuse;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs other programs, as a shell does. None of them outlives its test. */
public final class Programs {
    private static final long LONGEST_SECONDS = 300;

    private Programs() {}

    /** What the program prints, errors included. @throws AssertionError if it fails or does not end */
    public static String run(Path directory, String... command) throws IOException, InterruptedException {
        var output = Files.createTempFile("volsh", ".out");
        try {
            var process = new ProcessBuilder(command).directory(directory.toFile())
                    .redirectErrorStream(true).redirectOutput(output.toFile())
                    .redirectInput(Path.of("/dev/null").toFile()).start();
            if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("%s does not end: %s".formatted(String.join(" ", command), text(output)));
            }
            if (process.exitValue() != 0) {
                throw new AssertionError("%s ended with %d: %s".formatted(String.join(" ", command),
                        process.exitValue(), text(output)));
            }
            return text(output);
        } finally {
            Files.delete(output);
        }
    }

    /** Runs lines of shell, the first that fails being the last. */
    public static String shell(Path directory, String lines) throws IOException, InterruptedException {
        return run(directory, "/bin/bash", "-ec", "umask 022\n" + lines);   // whatever mask the process has
    }

    private static String text(Path output) throws IOException {
        return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
    }

    /** A file of the class path, as a file below {@code directory}. */
    public static Path resource(String name, Path directory) throws IOException {
        var copy = directory.resolve(Path.of(name).getFileName());
        if (!Files.exists(copy)) {
            try (InputStream in = Programs.class.getResourceAsStream(name)) {
                Files.copy(in, copy);
            }
        }
        return copy;
    }

    /** Can this be run here? */
    public static boolean isThere(String program) throws IOException, InterruptedException {
        return new ProcessBuilder("/bin/sh", "-c", "command -v " + program)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }
}
