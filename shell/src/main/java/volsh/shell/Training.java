package volsh.shell;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs many command lines in one JVM so that an AOT cache can record what they load. Only the build uses it, as {@code volsh selftrain FILE}.
 *
 * <p>A line is a command line, its words separated by blanks; empty lines and those that start with # are skipped. What the commands
 * print is dropped. A command that does not succeed fails the training, and with it the build: a cache trained on error messages would be slow and nobody would notice.
 */
record Training(List<String> lines) {
    /** Runs a command line and returns its exit code. */
    interface Command {
        int run(String... arguments) throws IOException;
    }

    /** The training named by the arguments of {@code selftrain FILE}. */
    static Training of(String... arguments) throws IOException {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("usage: volsh selftrain FILE");
        }
        return new Training(Files.readAllLines(Path.of(arguments[1])).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList());
    }

    int run(Command command) throws IOException {
        var shown = System.err;
        var out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        try {
            for (var line : lines) {
                int exit = command.run(line.split("\\s+"));
                if (exit != 0) {
                    shown.println("training stopped: '%s' returned %d".formatted(line, exit));
                    return 1;
                }
            }
            return lines.isEmpty() ? 1 : 0;
        } finally {
            System.setOut(out);
        }
    }
}
