package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import volsh.command.failure.CommandFailure;

/**
 * A pipeline of a command line, and when it runs: always, only if the one before went well, or only if not.
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
    }

    /** The statements of a line. @throws CommandFailure USAGE pointing at what is wrong */
    public static List<Statement> parse(String line) {
        return new Parser(line).statements();
    }

    private static final class Parser {
        private final String line;
        private final List<Token> tokens;
        private final List<Statement> statements = new ArrayList<>();
        private List<Stage> stages = new ArrayList<>();
        private List<Token> stage = new ArrayList<>();
        private Optional<Redirect> redirect = Optional.empty();
        private When when = When.ALWAYS;

        Parser(String line) {
            this.line = line;
            this.tokens = Lexer.tokens(line);
        }

        List<Statement> statements() {
            for (int i = 0; i < tokens.size(); i++) {
                if (!(tokens.get(i) instanceof Token.Operator operator)) {
                    stage.add(tokens.get(i));
                    continue;
                }
                if (operator.sign().startsWith(">")) {
                    redirect = Optional.of(new Redirect(file(operator, ++i), operator.sign().equals(">>")));
                } else {
                    connect(operator);
                }
            }
            if (!stage.isEmpty() || !stages.isEmpty()) {
                endStage(line.length());
                endStatement(false);
            } else if (when != When.ALWAYS) {
                throw wrong("something must follow", line.length());
            }
            return statements;
        }

        private Word file(Token.Operator operator, int index) {
            if (index < tokens.size() && tokens.get(index) instanceof Word word) {
                return word;
            }
            throw wrong("a file must follow " + operator.sign(), operator.end());
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
                throw wrong("a command is missing here", at);
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
