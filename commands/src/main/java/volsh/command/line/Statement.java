package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.command.failure.CommandFailure;
import volsh.command.render.EscapedText;
import volsh.command.render.Printable;

/**
 * A pipeline of a command line, and when it runs: always, or only if the one before succeeded or failed.
 *
 * @param background whether {@code &} stands behind it
 */
public record Statement(When when, List<Stage> stages, Optional<Redirect> redirect, boolean background, int start) {
    public Statement {
        stages = List.copyOf(stages);
    }

    public enum When { ALWAYS, AFTER_SUCCESS, AFTER_FAILURE }

    /** {@code > file}, or {@code >> file}. */
    public record Redirect(Word file, boolean append) {}

    /** What stands between two pipes: words and blocks, or a command of the system. */
    public record Stage(List<Token> tokens) {
        public Stage {
            tokens = List.copyOf(tokens);
        }

        Optional<Token.SystemLine> system() {
            return tokens.getFirst() instanceof Token.SystemLine system ? Optional.of(system) : Optional.empty();
        }

        /** The code whose value it is, if it is nothing else. */
        Optional<String> code() {
            return tokens.size() == 1 && tokens.getFirst() instanceof Word word && word.parts().size() == 1
                    && word.parts().getFirst() instanceof Word.Part.Code(String source, int _) ? Optional.of(source)
                    : Optional.empty();
        }

        String text() {
            return String.join(" ", tokens.stream().map(Stage::text).toList());
        }

        static String text(Token token) {
            return switch (token) {
                case Word word -> word.hasCode() ? written(word) : plain(word.text());
                case Token.Block block -> block.source();
                case Token.SystemLine system -> "!" + system.command();
                case Token.Operator operator -> operator.sign();
            };
        }

        /** A word with code: as it could be typed where a value begins a pipe. */
        private static String written(Word word) {
            var text = new StringBuilder();
            for (Word.Part part : word.parts()) {
                text.append(part instanceof Word.Part.Code(String source, int _) ? source : word.text());
            }
            return text.toString();
        }

        private static String plain(String text) {
            return text.matches("[^\\s'\"$\\\\{;|&>#!]+") || !Printable.is(text) ? EscapedText.word(text)
                    : "'" + text.replace("'", "'\\''") + "'";
        }
    }

    /** The statements of a line. @throws CommandFailure USAGE pointing at what is wrong */
    public static List<Statement> parse(String line) {
        return parse(line, 0);
    }

    /** The same of a line that begins with code, whose value goes through the pipe that follows. */
    static List<Statement> parse(String line, int code) {
        return new Parser(line, code).statements();
    }

    /** The statements of a line in groups that belong together by {@code &&} and {@code ||}. */
    static List<List<Statement>> groups(String line, int code) {
        var groups = new ArrayList<List<Statement>>();
        for (Statement statement : parse(line, code)) {
            if (statement.when() == When.ALWAYS) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(statement);
        }
        return groups;
    }

    /** Whether it ends where the line does. */
    boolean isWhole(String line) {
        int end = redirect.map(to -> to.file().end()).orElse(stages.getLast().tokens().getLast().end());
        return line.substring(Math.min(end, line.length())).isBlank();
    }

    /** As it could be typed. */
    String text() {
        var text = new StringBuilder(switch (when) {
            case ALWAYS -> "";
            case AFTER_SUCCESS -> "&& ";
            case AFTER_FAILURE -> "|| ";
        });
        text.append(String.join(" | ", stages.stream().map(Stage::text).toList()));
        redirect.ifPresent(to -> text.append(to.append() ? " >> " : " > ").append(Stage.text(to.file())));
        return text.toString();
    }

    private static final class Parser {
        private final String line;
        private final List<Token> tokens;
        private final List<Statement> statements = new ArrayList<>();
        private List<Stage> stages = new ArrayList<>();
        private List<Token> stage = new ArrayList<>();
        private Optional<Redirect> redirect = Optional.empty();
        private When when = When.ALWAYS;

        Parser(String line, int code) {
            this.line = line;
            this.tokens = Lexer.tokens(line, code);
        }

        /**
         * {@code !} takes the rest of the line, but an ampersand at its end makes a job of volsh, which can be waited
         * for.
         */
        private boolean endsInBackground() {
            if (stage.isEmpty() || !(stage.getLast() instanceof Token.SystemLine(String command, int start, int end))
                    || !command.matches("(?s).*[^&]\\s&")) {
                return false;
            }
            String shorter = command.substring(0, command.length() - 1).strip();
            stage.set(stage.size() - 1, new Token.SystemLine(shorter, start, end));
            return true;
        }

        List<Statement> statements() {
            for (int i = 0; i < tokens.size(); i++) {
                if (!(tokens.get(i) instanceof Token.Operator operator)) {
                    stage.add(tokens.get(i));
                    continue;
                }
                if (operator.sign().equals(">") && compares()) {
                    stage.add(new Word(List.of(new Word.Part.Plain(">")), operator.start(), operator.end()));
                } else if (operator.sign().startsWith(">")) {
                    redirect = Optional.of(new Redirect(file(operator, ++i), operator.sign().equals(">>")));
                } else {
                    connect(operator);
                }
            }
            if (!stage.isEmpty() || !stages.isEmpty()) {
                boolean background = endsInBackground();
                endStage(line.length());
                endStatement(background);
            } else if (when != When.ALWAYS) {
                throw wrong("incomplete line: a command must follow", line.length());
            }
            return statements;
        }

        /** {@code where used > 1GiB} compares; behind a block it would be a file. */
        private boolean compares() {
            boolean where = !stages.isEmpty() && !stage.isEmpty() && stage.getFirst() instanceof Word word
                    && word.text().equals("where");
            return where && stage.stream().noneMatch(Token.Block.class::isInstance);
        }

        private Word file(Token.Operator operator, int index) {
            if (index < tokens.size() && tokens.get(index) instanceof Word word) {
                return word;
            }
            throw wrong("a file name must follow " + operator.sign(), operator.end());
        }

        private void connect(Token.Operator operator) {
            endStage(operator.start());
            if (operator.sign().equals("|")) {
                return;
            }
            endStatement(operator.sign().equals("&"));
            when = switch (operator.sign()) {
                case "&&" -> When.AFTER_SUCCESS;
                case "||" -> When.AFTER_FAILURE;
                default -> When.ALWAYS;
            };
        }

        private void endStage(int at) {
            if (stage.isEmpty()) {
                throw wrong("missing command", at);
            }
            stages.add(new Stage(stage));
            stage = new ArrayList<>();
        }

        private void endStatement(boolean background) {
            int start = stages.getFirst().tokens().getFirst().start();
            statements.add(new Statement(when, stages, redirect, background, start));
            stages = new ArrayList<>();
            redirect = Optional.empty();
            when = When.ALWAYS;
        }

        private CommandFailure wrong(String message, int at) {
            return CommandFailure.usage(message).detail(line).detail(" ".repeat(at) + "^");
        }
    }
}
