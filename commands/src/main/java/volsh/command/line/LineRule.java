package volsh.command.line;

import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The one rule that tells commands from code.
 * <ol>
 * <li>Blank or {@code #}: nothing. A leading {@code !} is the system's, {@code :} forces a command, {@code =} code.
 * <li>The first word is the name of a command, and no assignment, {@code (} or {@code [} follows: a command. These
 * names are
 *     reserved, so no variable ever changes what a line means.
 * <li>Code before a bar and a pipe command: a pipe of its value. What is assigned is a command by the same rule, if words
 * or a pipe follow its name.
 * <li>It reads like a command, and its first word is no command, no word of the language and no name of the session:
 * unknown.
 * <li>Everything else is code.
 * </ol>
 */
public final class LineRule {
    /** What code may begin with, beside the words of the language and names of the session. */
    private static final Set<String> KEYWORDS = Set.of("abstract", "assert", "boolean", "break", "byte", "char",
            "class", "continue", "def", "do", "double", "else", "enum", "false", "final", "float", "for", "if",
            "import", "int", "interface", "long", "new", "null", "print", "printf", "println", "private", "protected",
            "public", "record", "return", "sealed", "short", "static", "super", "switch", "synchronized", "this",
            "throw", "trait", "true", "try", "var", "void", "while", "with", "it");
    private static final Set<String> VALUES = Set.of("this", "true", "false", "null", "it");
    private static final Pattern FIRST = Pattern.compile("(\\S+)(\\s*)(.*)", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("[a-z_][a-zA-Z0-9_-]*");
    private static final Pattern CODE_FOLLOWS = Pattern.compile("(=(?!=)|[-+*/%]=|<<|[(\\[]).*", Pattern.DOTALL);
    /** A bare word, an option, a quoted word or a path: never follows a name in code. */
    private static final Pattern ARGUMENT = Pattern.compile("(--?[a-zA-Z]|[a-zA-Z0-9/~.$'\"{]).*", Pattern.DOTALL);
    /** The first argument of a call in code is followed by a comma, or is a name before a colon. */
    private static final Pattern CALL = Pattern.compile("('[^']*'|\"[^\"]*\"|\\S+?)\\s*(,|(?<=\\w):\\s).*", Pattern.DOTALL);
    private static final Pattern ASSIGNMENT = Pattern.compile(
            "(?:(?:def|var)\\s+)?([a-zA-Z_]\\w*)\\s*=(?![=~])\\s*(\\S.*)", Pattern.DOTALL);
    private static final Pattern OPERATOR = Pattern.compile("(in|instanceof|as)\\b.*", Pattern.DOTALL);

    private final Predicate<String> commands;
    private final Predicate<String> names;

    /**
     * {@code commands}: commands, builtins and aliases. {@code names}: words of the language, variables and methods.
     */
    public LineRule(Predicate<String> commands, Predicate<String> names) {
        this.commands = commands;
        this.names = names;
    }

    public LineKind classify(String text) {
        String line = text.strip();
        if (line.isEmpty() || line.startsWith("#")) {
            return new LineKind.Nothing();
        }
        return switch (line.charAt(0)) {
            case '!' -> new LineKind.SystemLine(line.substring(1).strip());
            case ':' -> new LineKind.Command(line.substring(1).strip());
            case '=' -> new LineKind.Code(line.substring(1).strip());
            default -> byFirstWord(line);
        };
    }

    private LineKind byFirstWord(String line) {
        Matcher matcher = FIRST.matcher(line);
        if (!matcher.matches()) {
            return new LineKind.Code(line);
        }
        String word = first(matcher.group(1));
        String rest = line.substring(word.length()).stripLeading();
        if (commands.test(word) && !CODE_FOLLOWS.matcher(rest).matches()) {
            return new LineKind.Command(line);
        }
        Matcher assignment = ASSIGNMENT.matcher(line);
        if (assignment.matches() && !commands.test(assignment.group(1))) {
            return assigned(assignment, line);
        }
        return unknown(word, rest) ? new LineKind.Unknown(word) : code(line, word, rest);
    }

    /** The first word, without a sign that ends it. */
    private static String first(String word) {
        for (int i = 1; i < word.length(); i++) {
            if (PipeSign.at(word, i)) {
                return word.substring(0, i);
            }
        }
        return word.endsWith(";") ? word.substring(0, word.length() - 1) : word;
    }

    /** A call in code takes what is behind its name as a whole, so that it is no pipe. */
    private static LineKind code(String line, String word, String rest) {
        boolean called = KEYWORDS.contains(word) && !VALUES.contains(word)
                || NAME.matcher(word).matches() && ARGUMENT.matcher(rest).matches();
        int bar = called ? -1 : CodeScanner.pipe(line);
        return bar > 0 ? new LineKind.Piped(line, bar) : new LineKind.Code(line);
    }

    private LineKind assigned(Matcher assignment, String line) {
        String value = assignment.group(2);
        if (value.matches("(?s):[a-z].*")) {
            return new LineKind.Assigned(assignment.group(1), new LineKind.Command(value.substring(1)),
                    assignment.start(2) + 1);
        }
        LineKind kind = byFirstWord(value);
        boolean meant = kind instanceof LineKind.Piped || kind instanceof LineKind.Command && called(value);
        return meant ? new LineKind.Assigned(assignment.group(1), kind, assignment.start(2)) : new LineKind.Code(line);
    }

    /** Whether a command is called as in a line: not as in code, and not its name alone. */
    private static boolean called(String value) {
        String rest = value.substring(first(value.split("\\s", 2)[0]).length()).stripLeading();
        return rest.startsWith("|")
                || ARGUMENT.matcher(rest).matches() && !OPERATOR.matcher(rest).matches() && !CALL.matcher(rest).matches();
    }

    private boolean unknown(String word, String rest) {
        boolean named = NAME.matcher(word).matches() && !KEYWORDS.contains(word) && !names.test(word)
                && !commands.test(word);
        boolean called = rest.isEmpty() || ARGUMENT.matcher(rest).matches() && !OPERATOR.matcher(rest).matches();
        return named && called;
    }
}
