package volsh.command.file;

import java.nio.file.Path;
import java.util.List;
import volsh.catalog.VolumePath;
import volsh.command.failure.CommandFailure;

/** An argument: a path in a volume, a local file, or {@code -} for a standard stream. */
sealed interface Operand {
    /** {@code VOLUME:/path}. */
    record Stored(VolumePath path) implements Operand {
        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** {@code slash} is set if the word ends with a slash, which requires a directory. */
    record Local(Path path, boolean slash) implements Operand {
        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** Standard input or output. */
    record Stream() implements Operand {
        @Override
        public String toString() {
            return "-";
        }
    }

    /** In a volume if the text before the first colon is a valid volume name; {@code ./a:b} is always a local file. */
    static Operand of(String word) {
        if (word.equals("-")) {
            return new Stream();
        }
        if (VolumePath.isOne(word)) {
            try {
                return new Stored(VolumePath.of(word));
            } catch (IllegalArgumentException noVolume) {
                return local(word);
            }
        }
        return local(word);
    }

    /** All but the last, which is the target. */
    static List<String> sources(List<String> words) {
        if (words.size() < 2) {
            throw CommandFailure.usage("missing target: give one or more sources, then the target");
        }
        return words.subList(0, words.size() - 1);
    }

    /** @throws IllegalArgumentException about a name without a colon, which says how its root is written */
    static void requireNoBareName(String word) {
        if (word.matches("[a-z0-9][a-z0-9-]*")) {
            VolumePath.of(word);
        }
    }

    private static Local local(String word) {
        if (word.isEmpty()) {
            throw CommandFailure.usage("a file name cannot be empty");
        }
        return new Local(Path.of(word), word.endsWith("/"));
    }
}
