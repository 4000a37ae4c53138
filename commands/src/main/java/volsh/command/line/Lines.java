package volsh.command.line;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.line.Language.Source;
import volsh.command.line.Statement.When;
import volsh.command.render.OutputFormat;
import volsh.command.render.Rendering;
import volsh.command.render.Row;
import volsh.command.render.Text;
import volsh.command.render.View;
import volsh.command.run.Caller;
import volsh.command.run.CommandRunner;

/**
 * Runs command lines: pipes of typed rows, connectors, redirections. Code inside them is given to the language, which is
 * started by the first line that has some.
 */
public final class Lines {
    /** Builtins of lines, beside the commands of the tree. */
    private static final Set<String> BUILTINS = Set.of("set", "true", "false", "exit");

    private final Caller caller;
    private final Session session;
    private final Supplier<Language> language;
    private final Set<String> commands;
    private boolean keepGoing;

    public Lines(Caller caller, Session session, Supplier<Language> language) {
        this.caller = caller;
        this.session = session;
        this.language = language;
        this.commands = new HashSet<>(caller.spec().subcommands().keySet());
        commands.addAll(BUILTINS);
    }

    /** Names that begin a command line. */
    public Set<String> commands() {
        return Set.copyOf(commands);
    }

    public Lines keepGoing(boolean wanted) {
        keepGoing = wanted;
        return this;
    }

    public boolean keepsGoing() {
        return keepGoing;
    }

    /**
     * Runs a command line, prints what its statements answer and tells what goes wrong. Stops at the first failure that no
     * {@code ||} takes care of, unless it is to keep going.
     *
     * @return 0, or the status of the first failure
     */
    public int run(String line) throws Exception {
        int first = 0;
        int last = 0;
        List<Statement> statements = Statement.parse(line);
        for (int i = 0; i < statements.size(); i++) {
            Statement statement = statements.get(i);
            if (statement.when() != When.ALWAYS && (statement.when() == When.AFTER_SUCCESS) != (last == 0)) {
                continue;
            }
            last = attempt(statement, line);
            boolean handled = i + 1 < statements.size() && statements.get(i + 1).when() == When.AFTER_FAILURE;
            if (last != 0 && !handled) {
                first = first == 0 ? last : first;
                if (!keepGoing) {
                    return first;
                }
            }
        }
        return first;
    }

    private int attempt(Statement statement, String line) throws IOException {
        try {
            return perform(statement);
        } catch (Exit wish) {
            throw wish;
        } catch (CommandFailure failure) {
            return CommandRunner.fail(pointed(failure, statement, line), session);
        } catch (Exception failure) {
            return CommandRunner.fail(failure, session);
        }
    }

    /** Of several statements in a line the one that failed is named. */
    private static CommandFailure pointed(CommandFailure failure, Statement statement, String line) {
        boolean alone = statement.start() == 0 && Statement.parse(line).size() == 1;
        return alone ? failure : failure.detail("in: " + line.substring(statement.start()).lines().findFirst().orElse(""));
    }

    /** Runs a statement and prints its value. */
    private int perform(Statement statement) throws Exception {
        if (statement.background()) {
            throw CommandFailure.usage("& works at the prompt only: here nobody would wait for it");
        }
        boolean plain = statement.stages().size() == 1 && statement.redirect().isEmpty();
        if (plain && statement.stages().getFirst().system().isEmpty()) {
            return plain(words(statement.stages().getFirst()));
        }
        Object value = value(statement);
        if (statement.redirect().isPresent()) {
            redirect(value, statement.redirect().get());
        } else {
            CommandRunner.print(value instanceof String text ? new Text(text) : value, session);
        }
        return 0;
    }

    /** One command alone: what it answers is shown as its own options say. */
    private int plain(List<String> words) throws Exception {
        Optional<Integer> builtin = builtin(words);
        if (builtin.isPresent()) {
            return builtin.get();
        }
        var answer = caller.call(words);
        boolean told = caller.dryRun() && answer.outcome().value() instanceof volsh.command.render.Row;
        if (!told) {
            CommandRunner.print(answer.outcome().value(), answer.session());
        }
        return answer.outcome().status();
    }

    private Optional<Integer> builtin(List<String> words) {
        return switch (words.getFirst()) {
            case "true" -> Optional.of(0);
            case "false" -> Optional.of(1);
            case "exit" -> throw new Exit(words.size() > 1 ? status(words.get(1)) : 0);
            case "set" -> Optional.of(set(words.subList(1, words.size())));
            default -> Optional.empty();
        };
    }

    private static int status(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException wrong) {
            throw CommandFailure.usage("exit takes a number, not '" + word + "'");
        }
    }

    private int set(List<String> words) {
        if (!words.equals(List.of("-e")) && !words.equals(List.of("+e"))) {
            throw CommandFailure.usage("set takes -e (stop at the first failure) or +e (keep going)");
        }
        keepGoing = words.getFirst().equals("+e");
        return 0;
    }

    /** What a command line answers, for code: one statement, not printed; its failure is thrown. */
    public Object value(String line) throws Exception {
        List<Statement> statements = Statement.parse(line);
        if (statements.size() != 1) {
            throw CommandFailure.usage("one command is wanted here").detail(line);
        }
        return value(statements.getFirst());
    }

    private Object value(Statement statement) throws Exception {
        Object value = null;
        for (int i = 0; i < statement.stages().size(); i++) {
            stop().check();
            value = stage(statement, i, value);
        }
        return value;
    }

    private Cancellation stop() {
        return Stop.current(session.cancellation());
    }

    private Object stage(Statement statement, int index, Object input) throws Exception {
        Statement.Stage stage = statement.stages().get(index);
        boolean first = index == 0;
        boolean last = index == statement.stages().size() - 1 && statement.redirect().isEmpty();
        if (stage.system().isPresent()) {
            return system(stage.system().get().command(), first ? null : text(input), last);
        }
        List<String> words = words(stage);
        if (first && !words.getFirst().equals("from")) {
            return command(words);
        }
        if (!Pipes.VERBS.contains(words.getFirst())) {
            throw unknownVerb(words.getFirst());
        }
        return Pipes.apply(verb(stage, words), input);
    }

    private Object command(List<String> words) throws Exception {
        var captured = new Captured();
        var elsewhere = caller.writingTo(captured);
        var answer = elsewhere.call(words);
        Object value = caller.value(answer);
        if (answer.outcome().exit() != ExitCode.OK) {
            throw CommandFailure.of(answer.outcome().exit(), "CLI-00" + answer.outcome().status(),
                    "'" + String.join(" ", words) + "' did not succeed with everything");
        }
        return value == null ? captured.text() : value;
    }

    private Object system(String command, String input, boolean last) throws Exception {
        if (caller.dryRun()) {
            CommandRunner.print(new Text("would run " + command + "\n"), session);
            return "";
        }
        var captured = new Captured();
        var out = last ? session.out() : captured;
        int status = SystemCommand.run(command, input, out, session.environment(), stop());
        if (status != 0) {
            throw SystemCommand.failed(command, status);
        }
        return last ? null : captured.text();
    }

    private static CommandFailure unknownVerb(String word) {
        var failure = CommandFailure.of(ExitCode.UNKNOWN_COMMAND, "CLI-0127", "unknown pipe command '" + word + "'")
                .detail("there are: " + String.join(" ", Pipes.VERBS.stream().sorted().toList()));
        for (String similar : volsh.command.failure.Similar.to(word, Pipes.VERBS)) {
            failure = failure.hint("did you mean: " + similar);
        }
        return failure.hint("| !" + word + " is the system's");
    }

    private Pipes.Verb verb(Statement.Stage stage, List<String> words) throws Exception {
        Optional<Function<Object, Object>> block = Optional.empty();
        for (Token token : stage.tokens()) {
            if (token instanceof Token.Block code) {
                block = Optional.of(language.get().block(new Source("line", code.source())));
            }
        }
        return new Pipes.Verb(words.getFirst(), words.subList(1, words.size()), block, new Shown());
    }

    /** The words of a stage, code replaced by its value. */
    private List<String> words(Statement.Stage stage) throws Exception {
        var words = new ArrayList<String>();
        for (Token token : stage.tokens()) {
            if (token instanceof Word word) {
                words.addAll(words(word));
            } else if (words.isEmpty()) {
                throw CommandFailure.usage("a command begins with a word");
            }
        }
        return words;
    }

    private List<String> words(Word word) throws Exception {
        if (word.parts().size() == 1 && word.parts().getFirst() instanceof Word.Part.Code code) {
            return Literal.words(language.get().entry(new Source("line", code.source())));
        }
        var text = new StringBuilder();
        for (Word.Part part : word.parts()) {
            text.append(switch (part) {
                case Word.Part.Plain(String plain) -> plain;
                case Word.Part.Code(String source, int _) -> Literal.word(language.get().entry(new Source("line", source)));
            });
        }
        return List.of(text.toString());
    }

    private void redirect(Object value, Statement.Redirect redirect) throws Exception {
        Path file = Path.of(String.join("", words(redirect.file())));
        if (caller.dryRun()) {
            CommandRunner.print(new Text("would write " + file + "\n"), session);
            return;
        }
        String text = text(value);
        if (redirect.append()) {
            Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } else {
            Files.writeString(file, text);
        }
    }

    /** A value as text for files and other programs: text itself, or rows as the session's format shows them. */
    private String text(Object value) throws IOException {
        return value instanceof String text ? text : render(value, session.options().output());
    }

    private String render(Object value, OutputFormat format) throws IOException {
        var text = new StringWriter();
        View view = session.view();
        Rendering.print(value, new View(format, List.of(), "", view.headers(), view.zone(), Integer.MAX_VALUE, false, false,
                view.unicode()), text);
        return text.toString();
    }

    /** Shows values for {@code to} and {@code tee}. */
    private final class Shown implements Pipes.Shows {
        @Override
        public String text(Object value, String format) throws IOException {
            return render(value, OutputFormat.of(format));
        }

        @Override
        public void file(Object value, String file) throws IOException {
            String name = file.toLowerCase(Locale.ROOT);
            String format = name.substring(name.lastIndexOf('.') + 1);
            boolean known = Set.of("json", "jsonl", "csv", "tsv", "yaml").contains(format);
            try (var out = new OutputStreamWriter(Files.newOutputStream(Path.of(file)), StandardCharsets.UTF_8)) {
                out.write(known ? render(value, OutputFormat.of(format)) : Lines.this.text(value));
            }
        }
    }
}
