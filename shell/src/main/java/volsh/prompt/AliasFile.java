package volsh.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The file of aliases defined at a prompt, one {@code name=text} per line, for the next prompt. */
final class AliasFile {
    private final Path file;

    AliasFile(Path file) {
        this.file = file;
    }

    Map<String, String> read() throws IOException {
        var aliases = new LinkedHashMap<String, String>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                int sign = line.indexOf('=');
                if (sign > 0) {
                    aliases.put(line.substring(0, sign), line.substring(sign + 1));
                }
            }
        }
        return aliases;
    }

    /** Saves one more alias. Concurrent changes of different aliases by two prompts are both kept. */
    void put(String name, String text) throws IOException {
        change(aliases -> aliases.put(name, text));
    }

    void remove(String name) throws IOException {
        change(aliases -> aliases.remove(name));
    }

    private void change(java.util.function.Consumer<Map<String, String>> change) throws IOException {
        PrivateFile.locked(file, () -> {
            var aliases = read();
            change.accept(aliases);
            var text = new StringBuilder();
            aliases.forEach((name, meaning) -> text.append(name).append('=').append(meaning).append('\n'));
            PrivateFile.replace(file, text.toString());
        });
    }
}
