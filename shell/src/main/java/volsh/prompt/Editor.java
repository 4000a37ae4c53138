package volsh.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jline.keymap.KeyMap;
import org.jline.reader.LineReader;
import org.jline.reader.Reference;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;

/** Ctrl-X Ctrl-E: edits the current line in the user's editor. Shows the result without running it. */
final class Editor {
    private static final String NAME = "edit-in-editor";

    private final LineReader reader;
    private final Screen screen;
    private final Map<String, String> environment;

    private Editor(LineReader reader, Screen screen, Map<String, String> environment) {
        this.reader = reader;
        this.screen = screen;
        this.environment = environment;
    }

    static void bind(LineReader reader, Screen screen, Map<String, String> environment) {
        var editor = new Editor(reader, screen, environment);
        reader.getWidgets().put(NAME, editor::edit);
        String keys = KeyMap.ctrl('X') + KeyMap.ctrl('E');
        for (String map : List.of(LineReader.EMACS, LineReader.VIINS, LineReader.MAIN)) {
            Objects.requireNonNull(reader.getKeyMaps().get(map)).bind(new Reference(NAME), keys);
        }
    }

    private boolean edit() {
        try {
            Path file = Files.createTempFile("volsh-", ".groovy");   // 0600
            try {
                Files.writeString(file, reader.getBuffer().toString());
                run(file);
                reader.getBuffer().clear();
                reader.getBuffer().write(Files.readString(file).stripTrailing());
            } finally {
                Files.deleteIfExists(file);
            }
            return true;
        } catch (IOException failed) {
            screen.tell("error: cannot start the editor: " + failed.getMessage());
            return false;
        }
    }

    /** Runs the editor with the terminal's original modes. */
    private void run(Path file) throws IOException {
        Terminal terminal = reader.getTerminal();
        Attributes ours = terminal.getAttributes();
        var lines = new Attributes(ours);
        lines.setLocalFlags(java.util.EnumSet.of(Attributes.LocalFlag.ICANON, Attributes.LocalFlag.ECHO,
                Attributes.LocalFlag.ISIG, Attributes.LocalFlag.IEXTEN), true);
        lines.setInputFlag(Attributes.InputFlag.ICRNL, true);
        screen.lend();
        terminal.setAttributes(lines);
        try {
            var builder = new ProcessBuilder(List.of("/bin/sh", "-c", command() + " \"$1\"", "sh", file.toString()))
                    .inheritIO();
            builder.environment().clear();
            builder.environment().putAll(environment);
            builder.start().waitFor();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            terminal.setAttributes(ours);
            screen.takeBack();
            terminal.writer().print("\r\u001b[K");   // continue on a fresh line below the editor's cursor
            reader.callWidget(LineReader.REDRAW_LINE);
        }
    }

    private String command() {
        return environment.getOrDefault("VISUAL", environment.getOrDefault("EDITOR", "vi"));
    }
}
