package volsh.command.typing;

/** What stands between two places of a line, for its colour. */
public record Mark(int start, int end, Kind kind) {
    public enum Kind {
        /** The name of a command, or of a pipe command. */
        COMMAND,
        /** A command or option that does not exist. */
        WRONG,
        OPTION,
        STRING,
        /** <code>${ }</code> and {@code $name} in a command line. */
        CODE,
        OPERATOR,
        COMMENT,
        KEYWORD,
        NUMBER,
        /** What the system's shell gets. */
        SYSTEM
    }

    Mark moved(int by) {
        return new Mark(start + by, end + by, kind);
    }
}
