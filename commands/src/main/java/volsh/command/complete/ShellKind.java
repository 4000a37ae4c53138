package volsh.command.complete;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** A supported shell, and the script that makes it ask volsh for completions. */
public enum ShellKind {
    BASH("volsh.bash"), ZSH("_volsh"), FISH("volsh.fish");

    private final String file;

    ShellKind(String file) {
        this.file = file;
    }

    /** The file name that the shell expects. */
    public String file() {
        return file;
    }

    public String script() throws IOException {
        try (InputStream resource = ShellKind.class.getResourceAsStream(file)) {
            if (resource == null) {
                throw new IOException("the script " + file + " is not part of this build");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
