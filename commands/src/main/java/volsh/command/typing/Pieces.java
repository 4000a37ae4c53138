package volsh.command.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import volsh.command.line.CodeScanner;
import volsh.command.line.PipeSign;
import volsh.command.render.EscapedText;

/**
 * Cuts a command line into pieces as the language of lines does, but never refuses: quotes and brackets may be open, as
 * they are while one types. Strings and code inside words are noted, for their colours.
 */
final class Pieces {
    private static final Set<String> OPERATORS = Set.of("|", "||", "&&", "&", ";", ">", ">>");

    private final String line;
    private final List<Piece> all = new ArrayList<>();
    private final List<Mark> marks = new ArrayList<>();
    private int position;
    private boolean codeOpen;

    private Pieces(String line) {
        this.line = line;
    }

    static Pieces of(String line) {
        var pieces = new Pieces(line);
        pieces.read();
        return pieces;
    }

    List<Piece> all() {
        return all;
    }

    /** Strings and code inside of words. */
    List<Mark> marks() {
        return marks;
    }

    /** Whether the last word ends inside of <code>${</code>. */
    boolean codeOpen() {
        return codeOpen;
    }

    private void read() {
        while (position < line.length()) {
            char c = line.charAt(position);
            if (Character.isWhitespace(c)) {
                position++;
            } else if (c == '#') {
                rest(Piece.Kind.COMMENT);
            } else if (c == '!' && (all.isEmpty() || all.getLast().connects())) {
                rest(Piece.Kind.SYSTEM);
            } else if (c == '{') {
                int end = CodeScanner.closed(line, position);
                add(Piece.Kind.BLOCK, end < 0 ? line.length() : end);
            } else if (!operator()) {
                word();
            }
        }
    }

    private void rest(Piece.Kind kind) {
        add(kind, line.length());
    }

    private void add(Piece.Kind kind, int end) {
        all.add(new Piece(kind, line.substring(position, end), position, end));
        position = end;
    }

    private boolean operator() {
        if (PipeSign.at(line, position) || line.startsWith("|!", position)) {
            add(Piece.Kind.OPERATOR, position + 1);
            return true;
        }
        int end = position;
        while (end < line.length() && !Character.isWhitespace(line.charAt(end))) {
            end++;
        }
        boolean operator = OPERATORS.contains(line.substring(position, end));
        if (operator) {
            add(Piece.Kind.OPERATOR, end);
        }
        return operator;
    }

    /** A word up to a blank, or up to a {@code ;} before a blank. */
    private void word() {
        int start = position;
        var text = new StringBuilder();
        while (position < line.length() && !Character.isWhitespace(line.charAt(position)) && !endsStatement()
                && !piped(start, text)) {
            part(text);
        }
        all.add(new Piece(Piece.Kind.WORD, text.toString(), start, position));
        if (position < line.length() && line.charAt(position) == ';') {
            add(Piece.Kind.OPERATOR, position + 1);
        }
    }

    /** Whether the word ends here, before a pipe or the block of a pipe command. */
    private boolean piped(int start, CharSequence text) {
        boolean verb = !all.isEmpty() && all.getLast().is(Piece.Kind.OPERATOR) && all.getLast().text().equals("|");
        boolean regex = !all.isEmpty() && all.getLast().text().equals("grep");
        return line.charAt(position) == '{' && verb && PipeSign.takesBlock(text)
                || position > start && !regex && PipeSign.at(line, position);
    }

    private boolean endsStatement() {
        return line.charAt(position) == ';'
                && (position + 1 == line.length() || Character.isWhitespace(line.charAt(position + 1)));
    }

    private void part(StringBuilder text) {
        char c = line.charAt(position);
        if (EscapedText.begins(line, position)) {
            escaped(text);
        } else if (c == '\'' || c == '"') {
            string(c, text);
        } else {
            plain(text);
        }
    }

    private void escaped(StringBuilder text) {
        var read = EscapedText.read(line, position);
        int end = read.end() < 0 ? line.length() : read.end();
        text.append(read.text());
        marks.add(new Mark(position, end, Mark.Kind.STRING));
        position = end;
    }

    private void string(char quote, StringBuilder text) {
        int start = position++;
        while (position < line.length() && line.charAt(position) != quote) {
            if (quote == '"') {
                plain(text);
            } else {
                text.append(line.charAt(position++));
            }
        }
        position = Math.min(position + 1, line.length());
        marks.add(new Mark(start, position, Mark.Kind.STRING));
    }

    private void plain(StringBuilder text) {
        char c = line.charAt(position);
        if (c == '\\' && position + 1 < line.length()) {
            text.append(line.charAt(position + 1));
            position += 2;
        } else if (c == '$' && !code()) {
            text.append(c);
            position++;
        } else if (c != '$') {
            text.append(c);
            position++;
        }
    }

    private boolean code() {
        int start = position;
        int end = position + 1;
        if (line.startsWith("{", end)) {
            end = CodeScanner.closed(line, end);
            codeOpen = end < 0;
        } else {
            while (end < line.length() && Character.isJavaIdentifierPart(line.charAt(end)) && line.charAt(end) != '$') {
                end++;
            }
        }
        if (end == start + 1) {
            return false;
        }
        position = end < 0 ? line.length() : end;
        marks.add(new Mark(start, position, Mark.Kind.CODE));
        return true;
    }
}
