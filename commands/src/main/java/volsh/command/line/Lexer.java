package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.command.failure.CommandFailure;
import volsh.command.render.EscapedText;

/**
 * Cuts a command line into words, blocks and operators. Single quotes keep everything, double quotes all but
 * {@code $name}, <code>${code}</code> and the backslash; a backslash keeps the next character, and {@code $'\x1b'} is
 * {@linkplain EscapedText escaped}. Operators count only with blanks around them ({@code ;} may follow a word at once,
 * and a bar counts before a {@linkplain PipeSign pipe command}), and nothing is ever expanded: names are those of
 * volumes, not of files.
 */
final class Lexer {
    private static final String UNCLOSED = " is not closed";
    private static final Set<String> OPERATORS = Set.of("|", "||", "&&", "&", ";", ">", ">>");

    private static final Pattern ROWS_AGAIN = Pattern.compile("\\|\\s*from\\s+(json|jsonl|csv|tsv|lines)\\b");

    private final String line;
    private final List<Token> tokens = new ArrayList<>();
    private int position;

    private Lexer(String line) {
        this.line = line;
    }

    /** As {@link #tokens(String)}, where the line begins with code up to {@code code}: its value is the first word. */
    static List<Token> tokens(String line, int code) {
        var lexer = new Lexer(line);
        if (code > 0) {
            String source = line.substring(0, code).strip();
            String plain = source.matches("\\$[a-zA-Z_]\\w*") ? source.substring(1) : source;
            lexer.tokens.add(new Word(List.of(new Word.Part.Code(plain, 0)), 0, code));
            lexer.position = code;
        }
        lexer.read();
        return lexer.tokens;
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
            int end = systemEnd();
            tokens.add(new Token.SystemLine(line.substring(position + 1, end).strip(), position, end));
            position = end;
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

    /** The system's command ends where its text becomes rows again: {@code !cat rows.json | from json}. */
    private int systemEnd() {
        Matcher rows = ROWS_AGAIN.matcher(line).region(position, line.length());
        while (rows.find()) {
            String before = line.substring(position, rows.start());
            boolean quoted = before.chars().filter(c -> c == '\'').count() % 2 == 1
                    || before.chars().filter(c -> c == '"').count() % 2 == 1;
            if (!quoted) {
                return rows.start();
            }
        }
        return line.length();
    }

    private boolean operator() {
        if (PipeSign.at(line, position) || line.startsWith("|!", position)) {
            tokens.add(new Token.Operator("|", position, ++position));
            return true;
        }
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

    /** The quote or bracket that is open, if that is the failure; otherwise the first letter of its message. */
    static String sign(CommandFailure failure) {
        String message = failure.getMessage();
        int end = Math.max(1, message.indexOf(UNCLOSED));
        return message.substring(end - 1, end);
    }

    private CommandFailure unclosed(String what, int at) {
        String kind = what.endsWith("{") ? "bracket" : "quote";
        return CommandFailure.usage("the %s %s%s".formatted(kind, what, UNCLOSED)).detail(line.replace('\n', ' '))
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
            while (position < line.length() && !blank(line.charAt(position)) && !endsStatement(position) && !piped()) {
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

        /** A bar before a pipe command ends a word, except the expression of {@code grep}; so does its block. */
        private boolean piped() {
            Token last = tokens.isEmpty() ? null : tokens.getLast();
            boolean verb = last instanceof Token.Operator operator && operator.sign().equals("|");
            boolean regex = last instanceof Word word && word.text().equals("grep");
            return line.charAt(position) == '{' && verb && parts.isEmpty() && PipeSign.takesBlock(plain)
                    || position > start && !regex && PipeSign.at(line, position);
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
            boolean row = line.substring(from, end).equals("it");   // as other shells write a column: $it.used
            return end > from && !row && !Character.isDigit(line.charAt(from)) && code(line.substring(from, end), end);
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
