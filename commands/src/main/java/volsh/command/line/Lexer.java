package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import volsh.command.failure.CommandFailure;
import volsh.command.render.EscapedText;

/**
 * Cuts a command line into words, blocks and operators. Single quotes keep everything, double quotes all but
 * {@code $name}, <code>${code}</code> and the backslash; a backslash keeps the next character, and {@code $'\x1b'} is
 * {@linkplain EscapedText escaped}. Operators count only with
 * blanks around them ({@code ;} may follow a word at once), and nothing is ever expanded: names are those of volumes,
 * not of files.
 */
final class Lexer {
    private static final Set<String> OPERATORS = Set.of("|", "||", "&&", "&", ";", ">", ">>");

    private final String line;
    private final List<Token> tokens = new ArrayList<>();
    private int position;

    private Lexer(String line) {
        this.line = line;
    }

    /** @throws CommandFailure USAGE pointing at a quote or bracket that is not closed */
    static List<Token> tokens(String line) {
        var lexer = new Lexer(line);
        lexer.read();
        return lexer.tokens;
    }

    private void read() {
        skipBlanks();
        while (position < line.length()) {
            if (line.charAt(position) == '#') {
                return;
            }
            token();
            skipBlanks();
        }
    }

    private void skipBlanks() {
        while (position < line.length() && blank(line.charAt(position))) {
            position++;
        }
    }

    private static boolean blank(char c) {
        return Character.isWhitespace(c);
    }

    private void token() {
        char c = line.charAt(position);
        boolean first = tokens.isEmpty() || tokens.getLast() instanceof Token.Operator;
        if (c == '!' && first) {
            tokens.add(new Token.SystemLine(line.substring(position + 1).strip(), position, line.length()));
            position = line.length();
        } else if (c == '{') {
            int end = CodeScanner.closed(line, position);
            if (end < 0) {
                throw unclosed("{", position);
            }
            tokens.add(new Token.Block(line.substring(position, end), position, end));
            position = end;
        } else if (!operator()) {
            tokens.add(new WordReader().read());
        }
    }

    private boolean operator() {
        int end = position;
        while (end < line.length() && !blank(line.charAt(end))) {
            end++;
        }
        String sign = line.substring(position, end);
        if (!OPERATORS.contains(sign)) {
            return false;
        }
        tokens.add(new Token.Operator(sign, position, end));
        position = end;
        return true;
    }

    private CommandFailure unclosed(String what, int at) {
        return CommandFailure.usage(what + " is not closed").detail(line.replace('\n', ' '))
                .detail(" ".repeat(at) + "^");
    }

    private boolean endsStatement(int at) {
        return line.charAt(at) == ';' && (at + 1 == line.length() || blank(line.charAt(at + 1)));
    }

    /** Reads one word. */
    private final class WordReader {
        private final List<Word.Part> parts = new ArrayList<>();
        private final StringBuilder plain = new StringBuilder();
        private final int start = position;

        Word read() {
            while (position < line.length() && !blank(line.charAt(position)) && !endsStatement(position)) {
                char c = line.charAt(position);
                if (EscapedText.begins(line, position)) {
                    escaped();
                } else if (c == '\'') {
                    single();
                } else if (c == '"') {
                    doubled();
                } else {
                    bare(c);
                }
            }
            endPlain(parts.isEmpty());
            return new Word(parts, start, position);
        }

        private void single() {
            int end = line.indexOf('\'', position + 1);
            if (end < 0) {
                throw unclosed("'", position);
            }
            plain.append(line, position + 1, end);
            position = end + 1;
        }

        private void escaped() {
            var read = EscapedText.read(line, position);
            if (read.end() < 0) {
                throw unclosed("'", position + 1);
            }
            plain.append(read.text());
            position = read.end();
        }

        private void doubled() {
            int opening = position++;
            while (position < line.length() && line.charAt(position) != '"') {
                bare(line.charAt(position));
            }
            if (position == line.length()) {
                throw unclosed("\"", opening);
            }
            position++;
        }

        private void bare(char c) {
            if (c == '\\' && position + 1 < line.length()) {
                plain.append(line.charAt(position + 1));
                position += 2;
            } else if (c != '$' || !code()) {
                plain.append(c);
                position++;
            }
        }

        /** <code>${code}</code> or {@code $name}; a dollar alone is a dollar. */
        private boolean code() {
            int from = position + 1;
            int end = from;
            if (line.startsWith("{", from)) {
                end = CodeScanner.closed(line, from);
                if (end < 0) {
                    throw unclosed("${", position);
                }
                return code(line.substring(from + 1, end - 1), end);
            }
            while (end < line.length() && Character.isJavaIdentifierPart(line.charAt(end)) && line.charAt(end) != '$') {
                end++;
            }
            return end > from && !Character.isDigit(line.charAt(from)) && code(line.substring(from, end), end);
        }

        private boolean code(String source, int end) {
            endPlain(false);
            parts.add(new Word.Part.Code(source, position));
            position = end;
            return true;
        }

        private void endPlain(boolean evenIfEmpty) {
            if (!plain.isEmpty() || evenIfEmpty) {
                parts.add(new Word.Part.Plain(plain.toString()));
                plain.setLength(0);
            }
        }
    }
}
