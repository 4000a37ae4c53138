package volsh.command.typing;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.command.line.CodeScanner;
import volsh.command.line.LineKind;
import volsh.command.line.LineRule;

/** Where in a line the cursor stands, and what is typed there already. */
sealed interface Place {
    /** The word at the cursor, up to the cursor: what it means, and where in the line it begins. */
    record Typed(String text, int start) {}

    /** In a command, behind these words of it. */
    record InCommand(List<String> words, Typed typed) implements Place {}

    /** In a pipe command: the stages before it, the words of its own before the cursor. */
    record InPipe(List<List<String>> before, List<String> words, Typed typed) implements Place {}

    /** In code, of which {@code text} stands before the cursor; in a pipe, {@code rows} are the stages before it. */
    record InCode(String text, int start, List<List<String>> rows) implements Place {}

    /** Where the name of a local file is expected; {@code system}: in a line for the system's shell. */
    record InFile(Typed typed, boolean system) implements Place {}

    /** In a comment or a string. */
    record Nowhere() implements Place {}

    /** A command on the right-hand side of an assignment: {@code x = :volume list}. */
    Pattern COMMAND_IN_CODE = Pattern.compile("(?:^|[=(,{])\\s*:(?=[a-z])", Pattern.MULTILINE);
    /** A bar behind a name: what follows may become a pipe command. */
    Pattern PIPE_BEGUN = Pattern.compile("(?:(?:(?:def|var)\\s+)?\\w+\\s*=\\s*)?(?<rows>[a-zA-Z_]\\w*\\s*\\|\\s*[a-z]*)");
    Pattern LAST_WORD = Pattern.compile("\\S*\\z");

    static Place of(String line, int cursor, LineRule rule) {
        String before = line.substring(0, cursor);
        String shown = before.stripLeading();
        if (shown.isEmpty()) {
            return new InCommand(List.of(), new Typed("", cursor));
        }
        return switch (rule.classify(shown)) {
            case LineKind.Nothing() -> new Nowhere();
            case LineKind.Command(String _), LineKind.Unknown(String _) -> CommandPlace.of(before, begin(before, ':'));
            case LineKind.Piped _ -> CommandPlace.of(before, before.length() - shown.length());
            case LineKind.Assigned assigned -> CommandPlace.of(before, before.length() - shown.length()
                    + assigned.from());
            case LineKind.SystemLine(String _) -> file(before);
            case LineKind.Code(String _) -> code(before, begin(before, '='));
        };
    }

    /** Where the line begins behind blanks and this sign. */
    private static int begin(String before, char sign) {
        int at = before.length() - before.stripLeading().length();
        return at < before.length() && before.charAt(at) == sign ? at + 1 : at;
    }

    /** In the last word, which names a file. */
    static Place file(String before) {
        Matcher last = LAST_WORD.matcher(before);
        boolean _ = last.find();
        return new InFile(new Typed(last.group(), last.start()), true);
    }

    private static Place code(String before, int from) {
        Matcher command = COMMAND_IN_CODE.matcher(before).region(from, before.length());
        int begun = -1;
        while (command.find()) {
            begun = command.end();
        }
        if (begun >= 0 && before.indexOf('\n', begun) < 0) {
            return CommandPlace.of(before, begun);
        }
        String text = before.substring(from);
        Matcher pipe = PIPE_BEGUN.matcher(text);
        if (pipe.matches()) {
            return CommandPlace.of(before, from + pipe.start("rows"));
        }
        boolean string = List.of("'", "\"", "/*").contains(CodeScanner.open(text));
        return string ? new Nowhere() : new InCode(text, from, List.of());
    }
}
