package volsh.prompt;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import volsh.shell.Launch;

/** The program at a pseudo-terminal, with somebody who types: keys in, screen out. */
final class AtTerminal {
    static final String CTRL_C = "\u0003";
    static final String CTRL_D = "\u0004";
    static final String CTRL_Z = "\u001a";
    static final String PROMPT = "volsh> ";

    private final Path directory;
    private final Map<String, String> environment = new TreeMap<>();
    private List<String> arguments = List.of();
    private int rows = 24;
    private int columns = 100;

    AtTerminal(Path directory) {
        this.directory = directory;
    }

    record Shown(int status, String screen) {}

    AtTerminal with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    AtTerminal size(int height, int width) {
        rows = height;
        columns = width;
        return this;
    }

    AtTerminal arguments(String... words) {
        arguments = List.of(words);
        return this;
    }

    /**
     * Types the keys of each pair when its text has been shown; behind {@code @tab}, TAB is pressed again if that takes
     * long.
     */
    Shown type(String... steps) throws IOException, InterruptedException {
        Path typist = directory.resolve("typist.py");
        try (var script = AtTerminal.class.getResourceAsStream("typist.py")) {
            Files.write(typist, script.readAllBytes());
        }
        var words = new ArrayList<>(List.of("python3", typist.toString(), "" + rows, "" + columns, json(steps), "--"));
        words.addAll(Launch.words());
        words.addAll(arguments);
        var builder = new ProcessBuilder(words).redirectErrorStream(true).directory(directory.toFile());
        builder.environment().keySet()
                .removeAll(List.of("COLUMNS", "LINES", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "PAGER"));
        builder.environment().putAll(Map.of("VOLSH_HOME", directory.resolve("home").toString(), "TERM",
                "xterm-256color", "LC_ALL", "C.UTF-8"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String screen = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Shown(process.waitFor(), screen);
    }

    private static String json(String... steps) {
        var pairs = new ArrayList<List<String>>();
        for (int i = 0; i < steps.length; i += 2) {
            pairs.add(List.of(steps[i], steps[i + 1]));
        }
        return volsh.command.render.Json.of(pairs);
    }
}
