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
 * <li>It reads like a command, and its first word is no command, no word of the language and no name of the session:
 * unknown.
 * <li>Everything else is code; if it is finished and {@code &} follows behind a blank, it is a job.
 * </ol>
 */
public final class LineRule {
    /** What code may begin with, beside the words of the language and names of the session. */
    private static final Set<String> KEYWORDS = Set.of("abstract", "assert", "boolean", "break", "byte", "char",
            "class", "continue", "def", "do", "double", "else", "enum", "false", "final", "float", "for", "if",
            "import", "int", "interface", "long", "new", "null", "print", "printf", "println", "private", "protected",
            "public", "record", "return", "sealed", "short", "static", "super", "switch", "synchronized", "this",
            "throw", "trait", "true", "try", "var", "void", "while", "with", "it");
    private static final Pattern FIRST = Pattern.compile("(\\S+)(\\s*)(.*)", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("[a-z_][a-zA-Z0-9_-]*");
    private static final Pattern CODE_FOLLOWS = Pattern.compile("(=(?!=)|[-+*/%]=|<<|[(\\[]).*", Pattern.DOTALL);
    /** A bare word, an option, a quoted word or a path: never follows a name in code. */
    private static final Pattern ARGUMENT = Pattern.compile("(--?[a-zA-Z]|[a-zA-Z0-9/~.$'\"{]).*", Pattern.DOTALL);
    private static final Pattern JOB = Pattern.compile("(.*\\S)\\s+&", Pattern.DOTALL);
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
            case '=' -> code(line.substring(1).strip());
            default -> byFirstWord(line);
        };
    }

    private LineKind byFirstWord(String line) {
        Matcher matcher = FIRST.matcher(line);
        if (!matcher.matches()) {
            return code(line);
        }
        String word = matcher.group(1).endsWith(";") ? matcher.group(1).substring(0, matcher.group(1).length() - 1)
                : matcher.group(1);
        String rest = matcher.group(3);
        if (commands.test(word) && !CODE_FOLLOWS.matcher(rest).matches()) {
            return new LineKind.Command(line);
        }
        return unknown(word, rest) ? new LineKind.Unknown(word) : code(line);
    }

    private static LineKind code(String text) {
        Matcher job = JOB.matcher(text);
        boolean finished = job.matches() && CodeScanner.open(job.group(1)).isEmpty();
        return finished ? new LineKind.CodeJob(job.group(1)) : new LineKind.Code(text);
    }

    private boolean unknown(String word, String rest) {
        boolean named = NAME.matcher(word).matches() && !KEYWORDS.contains(word) && !names.test(word)
                && !commands.test(word);
        boolean called = rest.isEmpty() || ARGUMENT.matcher(rest).matches() && !OPERATOR.matcher(rest).matches();
        return named && called;
    }
}
