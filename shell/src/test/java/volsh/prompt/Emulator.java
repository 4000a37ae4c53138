package volsh.prompt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import volsh.command.render.Json;
import volsh.shell.Launch;

/** Programs at an emulated terminal, by {@code scripts/terminal.py}; with {@code volsh} on their path. */
final class Emulator {
    private final Path directory;
    private final Path bin;

    /** How a program ended, and the screen if something was not shown. */
    record Ended(int status, String told) {}

    Emulator(Path directory) throws IOException {
        this.directory = directory;
        this.bin = Files.createDirectories(directory.resolve("bin"));
        Path volsh = Files.writeString(volsh(), """
                #!/bin/sh
                exec '%s' "$@"
                """.formatted(String.join("' '", Launch.words())));
        if (!volsh.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + volsh + " executable");
        }
    }

    /** Every byte that the terminal got, last time somebody typed. */
    Path raw() {
        return directory.resolve("raw");
    }

    Path volsh() {
        return bin.resolve("volsh");
    }

    static Path project() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("scripts/terminal.py"))) {
            at = at.getParent();
        }
        return at;
    }

    /** A Python that has pyte: Debian's, if the first one on the path is another. */
    static String python() throws IOException, InterruptedException {
        for (String python : List.of("python3", "/usr/bin/python3")) {
            var probe = new ProcessBuilder(python, "-c", "import pyte").redirectErrorStream(true).start();
            probe.getInputStream().readAllBytes();
            if (probe.waitFor() == 0) {
                return python;
            }
        }
        throw new IOException("this test needs pyte: apt-get install python3-pyte");
    }

    /** Runs a program to its end. */
    Ended run(List<String> command) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().keySet()
                .removeAll(List.of("COLUMNS", "LINES", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "BASH_ENV", "ZDOTDIR"));
        builder.environment().putAll(Map.of("VOLSH_HOME", directory.resolve("home").toString(), "TERM",
                "xterm-256color", "LC_ALL", "C.UTF-8", "HOME", directory.toString(), "XDG_CONFIG_HOME",
                directory.resolve("config").toString(), "VOLSH", volsh().toString()));
        builder.environment().merge("PATH", bin.toString(), (path, first) -> first + ":" + path);
        Process process = builder.start();
        process.getOutputStream().close();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), told);
    }

    /**
     * Types: pairs of what the line before the cursor ends with, as a regular expression, and the keys that follow.
     * As a person would, TAB is pressed again when nothing comes for seconds.
     */
    Ended type(List<String> command, String... steps) throws IOException, InterruptedException {
        var list = new ArrayList<Map<String, String>>();
        list.add(Map.of("raw", raw().toString()));
        for (int i = 0; i < steps.length; i += 2) {
            boolean tab = i > 0 && steps[i - 1].endsWith("\t");
            list.add(tab ? Map.of("line", steps[i], "again", "\t") : Map.of("line", steps[i]));
            list.add(Map.of("keys", steps[i + 1]));
        }
        var words = new ArrayList<>(List.of(python(), project().resolve("scripts/terminal.py").toString(), "24", "100",
                Json.of(list), "--"));
        words.addAll(command);
        return run(words);
    }
}
