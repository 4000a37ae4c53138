package volsh.catalog;

import java.nio.file.Path;

/** Where a machine gets the secret that opens an encrypted volume. Never the secret itself. */
public sealed interface KeySource {
    /** At least 32 random bytes in a file that others cannot read. */
    record File(Path path) implements KeySource {
        @Override
        public String toString() {
            return "key-file:" + path;
        }
    }

    /** Typed by a person. */
    record Passphrase() implements KeySource {
        @Override
        public String toString() {
            return "passphrase";
        }
    }

    /** A passphrase in a variable of the environment. */
    record Environment(String name) implements KeySource {
        @Override
        public String toString() {
            return "env:" + name;
        }
    }

    /** A passphrase that a command prints, for example that of a key service. */
    record Command(String line) implements KeySource {
        @Override
        public String toString() {
            return "command:" + line;
        }
    }

    /** Reads {@code key-file:PATH}, {@code passphrase}, {@code env:NAME} or {@code command:LINE}. */
    static KeySource of(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? text : text.substring(0, colon);
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        if (kind.equals("passphrase") && rest.isEmpty() && colon < 0) {
            return new Passphrase();
        }
        if (!rest.isBlank()) {
            switch (kind) {
                case "key-file" -> {
                    return new File(Path.of(rest).toAbsolutePath().normalize());
                }
                case "env" -> {
                    return new Environment(rest);
                }
                case "command" -> {
                    return new Command(rest);
                }
                default -> { }
            }
        }
        throw new IllegalArgumentException(
                "not a source of keys: '%s' (key-file:PATH, passphrase, env:NAME or command:LINE)".formatted(text));
    }
}
