package volsh.command.typing;

/**
 * A piece of a command line that may not be finished.
 *
 * @param text of a word what it means, without its quotes; else as it stands there
 */
record Piece(Kind kind, String text, int start, int end) {
    enum Kind {
        WORD,
        /** {@code | || && & ; > >>} between blanks. */
        OPERATOR,
        /** Code between braces, perhaps still open. */
        BLOCK,
        /** For the system's shell. */
        SYSTEM,
        COMMENT
    }

    boolean is(Kind wanted) {
        return kind == wanted;
    }

    boolean connects() {
        return is(Kind.OPERATOR) && !text.startsWith(">");
    }

    boolean redirects() {
        return is(Kind.OPERATOR) && text.startsWith(">");
    }
}
