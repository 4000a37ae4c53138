package volsh.fs;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A word of a command that a message offers to paste: the prompt and the shells of the system read it as exactly this
 * text, whatever characters a name has. Plain words stay as they are, others are quoted, and characters that a terminal
 * would obey are escaped as in {@code $'\x1b'}.
 */
public final class ShellWord {
    private static final String PLAIN = "-_./:=@%+,";

    private ShellWord() {}

    public static String of(Object value) {
        var text = String.valueOf(value);
        if (text.isEmpty() || !text.codePoints().allMatch(ShellWord::isPrintable)) {
            return text.isEmpty() ? "''" : escaped(text);
        }
        boolean plain = text.codePoints().allMatch(c -> Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0);
        return plain ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /** Several words, with blanks between them. */
    public static String of(List<?> values) {
        return values.stream().map(ShellWord::of).collect(Collectors.joining(" "));
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    private static String escaped(String text) {
        var written = new StringBuilder("$'");
        text.codePoints().forEach(c -> {
            if (c == '\\') {
                written.append("\\\\");
            } else if (c == '\'') {
                written.append("\\x27");   // so that a quote ends it for every reader
            } else if (isPrintable(c)) {
                written.appendCodePoint(c);
            } else if (c < 0x80) {
                written.append("\\x%02x".formatted(c));
            } else {
                for (char unit : Character.toChars(c)) {
                    written.append("\\u%04x".formatted((int) unit));
                }
            }
        });
        return written.append('\'').toString();
    }
}
