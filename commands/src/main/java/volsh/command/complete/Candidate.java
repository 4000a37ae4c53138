package volsh.command.complete;

/**
 * A word that could stand at the cursor.
 *
 * @param word        the whole word, including what is typed already
 * @param description one line, perhaps empty
 */
public record Candidate(String word, String description, Kind kind) {
    public enum Kind { COMMAND, OPTION, OPTION_VALUE, POSITIONAL }

    /** A name from a {@link CompletionSource}. */
    public static Candidate name(String word, String description) {
        return new Candidate(word, description, Kind.POSITIONAL);
    }

    Candidate as(Kind kind) {
        return new Candidate(word, description, kind);
    }

    Candidate prefixed(String prefix) {
        return new Candidate(prefix + word, description, kind);
    }

    /** Whether the word is complete, so that a blank follows; {@code vol:}, {@code dir/} and {@code --opt=} go on. */
    public boolean ends() {
        return word.isEmpty() || ":/=".indexOf(word.charAt(word.length() - 1)) < 0;
    }
}
