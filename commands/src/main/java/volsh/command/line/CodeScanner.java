package volsh.command.line;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Finds the strings, comments and brackets of Groovy code, as much as is needed to see where a block ends and whether a
 * text is finished. It compiles nothing.
 */
public final class CodeScanner {
    private static final String OPENING = "([{";
    private static final String CLOSING = ")]}";
    private static final String BEFORE_SLASHY = "=(,[{:;!&|?~\n";

    private final String text;
    private final Deque<Character> open = new ArrayDeque<>();
    private int position;
    private char before = '\n';

    private CodeScanner(String text, int from) {
        this.text = text;
        this.position = from;
    }

    /** Where the bracket at {@code from} is closed: the position behind, or -1 when it stays open. */
    public static int closed(String text, int from) {
        var scanner = new CodeScanner(text, from);
        while (scanner.position < text.length()) {
            if (!scanner.step()) {
                return -1;
            }
            if (scanner.open.isEmpty()) {
                return scanner.position;
            }
        }
        return -1;
    }

    /**
     * What is still open at the end, such as <code>{</code>, {@code (} or {@code "}; empty when the text is finished.
     */
    public static String open(String text) {
        var scanner = new CodeScanner(text, 0);
        while (scanner.position < text.length()) {
            int start = scanner.position;
            if (!scanner.step()) {
                return text.startsWith("/*", start) ? "/*" : text.substring(start, start + 1);
            }
        }
        if (!scanner.open.isEmpty()) {
            return String.valueOf(scanner.open.peek());
        }
        return scanner.goesOn() ? ".." : "";
    }

    /** Where the code ends and a pipe begins: at the first bar before a pipe command, outside of brackets; or -1. */
    static int pipe(String text) {
        var scanner = new CodeScanner(text, 0);
        while (scanner.position < text.length()) {
            char c = text.charAt(scanner.position);
            boolean outside = scanner.open.isEmpty();
            if (outside && PipeSign.at(text, scanner.position)) {
                return scanner.position;
            }
            if (outside && (c == ';' || c == '\n') || !scanner.step()) {
                return -1;
            }
        }
        return -1;
    }

    /** Code that ends with an operator or a comma is not finished. */
    private boolean goesOn() {
        String end = text.stripTrailing();
        boolean step = end.endsWith("++") || end.endsWith("--");
        return !step && ",+-*/.&|=<?:\\".indexOf(before) >= 0;
    }

    /** Passes one character, string or comment; false when it does not end. */
    private boolean step() {
        char c = text.charAt(position);
        int start = position;
        if (text.startsWith("//", start)) {
            int end = text.indexOf('\n', start);
            position = end < 0 ? text.length() : end;
            return true;
        }
        if (text.startsWith("/*", start)) {
            return jump(text.indexOf("*/", start + 2), 2);
        }
        if (c == '\'' || c == '"') {
            return string(text.startsWith(String.valueOf(c).repeat(3), start) ? 3 : 1, c);
        }
        if (c == '/' && BEFORE_SLASHY.indexOf(before) >= 0) {
            return string(1, c);
        }
        bracket(c);
        if (!Character.isWhitespace(c) || c == '\n') {
            before = c;
        }
        position++;
        return true;
    }

    private void bracket(char c) {
        if (OPENING.indexOf(c) >= 0) {
            open.push(c);
        } else if (CLOSING.indexOf(c) >= 0 && !open.isEmpty()) {
            open.pop();
        }
    }

    private boolean string(int quotes, char quote) {
        String end = String.valueOf(quote).repeat(quotes);
        int at = position + quotes;
        while (at < text.length() && !text.startsWith(end, at)) {
            if (quotes == 1 && quote != '/' && text.charAt(at) == '\n') {
                return false;
            }
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        before = '"';
        return jump(at < text.length() ? at : -1, quotes);
    }

    private boolean jump(int end, int length) {
        position = end < 0 ? text.length() : end + length;
        return end >= 0;
    }
}
