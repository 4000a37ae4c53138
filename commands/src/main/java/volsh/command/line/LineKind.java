package volsh.command.line;

/** What a line is. Decided by how it looks and by fixed names; never by trying one and falling back to the other. */
public sealed interface LineKind {
    /** Blank, or a comment. */
    record Nothing() implements LineKind {}

    /** A command line. */
    record Command(String line) implements LineKind {}

    /** Code. */
    record Code(String text) implements LineKind {}

    /** Code whose value goes through pipe commands: {@code volumes | where used > 1GiB}; {@code code} is before the bar. */
    record Piped(String text, int code) implements LineKind {}

    /** What a command or a pipe answers becomes a variable; {@code value} stands at {@code from}. */
    record Assigned(String name, LineKind value, int from) implements LineKind {}

    /** {@code !}: for the system's shell. */
    record SystemLine(String command) implements LineKind {}

    /** It looks like a command, and there is none of this name. */
    record Unknown(String word) implements LineKind {}
}
