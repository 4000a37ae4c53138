package volsh.command.complete;

/**
 * A word that could stand at the cursor.
 *
 * @param word        the whole word, including what is typed already
 * @param description one line, perhaps empty
 */
public record Candidate(String word, String description, Kind kind) {
    public enum Kind { COMMAND, OPTION, OPTION_VALUE, POSITIONAL, CODE }

    /** A name from a {@link CompletionSource}. */
    public static Candidate name(String word, String description) {
        return new Candidate(word, description, Kind.POSITIONAL);
    }

    /** A piece of code, behind which more code may follow at once. */
    public static Candidate code(String word, String description) {
        return new Candidate(word, description, Kind.CODE);
    }

    Candidate as(Kind kind) {
        return new Candidate(word, description, kind);
    }

    /** The same, written in another way. */
    Candidate named(String other) {
        return new Candidate(other, description, kind);
    }

    /** The same behind what stands before it in the word. */
    public Candidate prefixed(String prefix) {
        return new Candidate(prefix + word, description, kind);
    }

    public boolean isCode() {
        return kind == Kind.CODE;
    }

    /**
     * Whether the word is complete, so that a blank follows; {@code vol:}, {@code dir/} and {@code --opt=} continue.
     */
    public boolean ends() {
        return kind != Kind.CODE && (word.isEmpty() || ":/=".indexOf(word.charAt(word.length() - 1)) < 0);
    }
}
