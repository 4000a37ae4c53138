package volsh.command.line;

/** A piece of a command line, with the place where it stands. */
public sealed interface Token permits Word, Token.Operator, Token.Block, Token.SystemLine {
    int start();

    int end();

    /** {@code | || && & ; > >>} between blanks. */
    record Operator(String sign, int start, int end) implements Token {}

    /** <code>{ code }</code>, brackets included. */
    record Block(String source, int start, int end) implements Token {}

    /** {@code !command} up to the end of the line, for the system's shell. */
    record SystemLine(String command, int start, int end) implements Token {}
}
