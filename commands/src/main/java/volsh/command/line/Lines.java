package volsh.command.line;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import volsh.command.Action;
import volsh.command.Cancellation;
import volsh.command.Host;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.line.Language.Source;
import volsh.command.line.LineWords.Printing;
import volsh.command.line.Statement.When;
import volsh.command.pipe.Pipes;
import volsh.command.render.Row;
import volsh.command.render.Rows;
import volsh.command.render.Text;
import volsh.command.run.Caller;
import volsh.command.run.CommandRunner;

/**
 * Runs command lines: pipes of typed rows, connectors, redirections, jobs. Code inside them is given to the language,
 * which is started by the first line that has some.
 */
public final class Lines {
    /** A larger result is shown, but not remembered. */
    private static final int REMEMBERED_MAX = 10_000;

    private final Caller caller;
    private final Session session;
    private final Supplier<Language> language;
    private final LineWords shared;
    private final Printing printing;
    private final SystemStage system;
    private final Consumer<Object> answers;
    private final LineOutput output;
    private final Expansion expansion;

    public Lines(Caller caller, Session session, Supplier<Language> language, Jobs jobs) {
        this(caller, session, language, new LineWords(caller.names(), jobs), Printing.PLAIN,
                SystemStage.USUAL, _ -> { });
    }

    private Lines(Caller caller, Session session, Supplier<Language> language, LineWords shared, Printing printing,
            SystemStage system, Consumer<Object> answers) {
        this.caller = caller;
        this.session = session;
        this.language = language;
        this.shared = shared;
        this.printing = printing;
        this.system = system;
        this.answers = answers;
        this.output = new LineOutput(session);
        this.expansion = new Expansion(language);
    }

    /**
     * The same lines in another process around them. {@code system}: what commands of the system read from and write
     * to.
     */
    public Lines on(Host host, Cancellation stop, Printing how, SystemStage with) {
        return new Lines(caller.on(host), new Session(host, session.options(), stop), language, shared, how, with,
                _ -> { });
    }

    /** The same lines; what each answers is also given to {@code answers}, when it has been shown. */
    public Lines telling(Consumer<Object> answers) {
        return new Lines(caller, session, language, shared, printing, system, answers);
    }

    /** What all lines of the program share. */
    public LineWords words() {
        return shared;
    }

    /** Names that begin a command line. */
    public Set<String> commands() {
        return shared.names();
    }

    public Lines keepGoing(boolean wanted) {
        shared.keepGoing(wanted);
        return this;
    }

    public boolean keepsGoing() {
        return shared.keepsGoing();
    }

    /**
     * Runs a command line, and prints its results and failures. Stops at the first failure that no {@code ||} handles,
     * unless set to continue. Starts a statement that ends in {@code &} without waiting for it.
     *
     * @return 0, or the status of the first failure
     */
    public int run(String text) throws Exception {
        return run(shared.aliases().expand(text), 0);
    }

    /** As {@link #run(String)}, for a line that begins with code. */
    public int run(LineKind.Piped piped) throws Exception {
        return run(piped.text(), piped.code());
    }

    private int run(String line, int code) throws Exception {
        int first = 0;
        for (List<Statement> group : Statement.groups(line, code)) {
            int status = group.getLast().background() ? begin(group, line) : run(group, line);
            first = first == 0 ? status : first;
            if (status != 0 && !keepsGoing()) {
                return first;
            }
        }
        return first;
    }

    private int run(List<Statement> group, String line) throws Exception {
        int first = 0;
        int last = 0;
        for (int i = 0; i < group.size(); i++) {
            Statement statement = group.get(i);
            if (statement.when() != When.ALWAYS && (statement.when() == When.AFTER_SUCCESS) != (last == 0)) {
                continue;
            }
            last = attempt(statement, line);
            boolean handled = i + 1 < group.size() && group.get(i + 1).when() == When.AFTER_FAILURE;
            if (last != 0 && !handled) {
                first = first == 0 ? last : first;
                if (!keepsGoing()) {
                    return first;
                }
            }
        }
        return first;
    }

    /** The values of code are put in now; the job itself no longer depends on what the session does next. */
    private int begin(List<Statement> group, String line) throws Exception {
        if (caller.dryRun()) {
            return run(group, line);
        }
        var settled = new ArrayList<Statement>();
        for (Statement statement : group) {
            settled.add(expansion.settled(statement));
        }
        String meant = String.join(" ", settled.stream().map(Statement::text).toList());
        shared.jobs().background(meant, job -> () ->
                on(job.backgroundHost(session.host()), job.cancellation(), Printing.PLAIN, SystemStage.ASIDE)
                        .run(settled, meant));
        return 0;
    }

    private int attempt(Statement statement, String line) throws Exception {
        try {
            return perform(statement);
        } catch (Exception failure) {
            Throwable reason = Stop.reason(failure, stop());
            return CommandRunner.fail(reason instanceof CommandFailure ours ? pointed(ours, statement, line) : reason,
                    session);
        }
    }

    /** Of several statements in a line the one that failed is named. */
    private static CommandFailure pointed(CommandFailure failure, Statement statement, String line) {
        boolean alone = statement.start() == 0 && statement.isWhole(line);
        return alone ? failure
                : failure.detail("in: " + line.substring(statement.start()).lines().findFirst().orElse(""));
    }

    /** Runs a statement and prints its value. */
    private int perform(Statement statement) throws Exception {
        boolean plain = statement.stages().size() == 1 && statement.redirect().isEmpty();
        if (plain && statement.stages().getFirst().system().isEmpty()) {
            return plain(expansion.words(statement.stages().getFirst()));
        }
        var status = new AtomicInteger();
        Object value = value(statement, status);
        if (statement.redirect().isPresent()) {
            redirect(value, statement.redirect().get());
        } else {
            printing.print(value instanceof String text ? shown(text, statement) : value, session);
        }
        answer(value);
        return status.get();
    }

    /** Text as it is, but one that is a value of its own is a line. */
    private static Text shown(String text, Statement statement) {
        boolean whole = text.isEmpty() || text.endsWith("\n") || statement.stages().getLast().tokens().getFirst()
                instanceof Word word && Set.of("to", "tee").contains(word.text());
        return new Text(whole ? text : text + "\n");
    }

    /** A text is for reading, but what a pipe or the system made of rows is an answer too. */
    private void answer(@Nullable Object value) {
        if (value != null && !(value instanceof Text) && !"".equals(value)) {
            answers.accept(value);
        }
    }

    /** One command alone: what it answers is shown as its own options say. */
    private int plain(List<String> words) throws Exception {
        Builtin builtin = shared.builtin(words);
        if (builtin != null) {
            Outcome<?> outcome = outcome(builtin, words);
            printing.print(outcome.value(), session);
            answer(outcome.value() instanceof Text ? null : Row.value(outcome.value()));
            return outcome.status();
        }
        var answer = answer(words);
        boolean told = caller.dryRun() && answer.outcome().value() instanceof Row;
        if (!told) {
            print(answer);
        }
        return answer.outcome().status();
    }

    private Caller.Answer answer(List<String> words) throws Exception {
        try {
            return caller.call(words);
        } catch (Exception failure) {
            throw caller.corrected(failure, words);
        }
    }

    private void print(Caller.Answer answer) throws IOException {
        if (answer.outcome().value() instanceof Rows<?> rows) {
            printing.print(rows.kept(REMEMBERED_MAX, seen -> answer(caller.value(new Caller.Answer(
                    new Outcome<>(seen, ExitCode.OK), answer.spec(), answer.session())))), answer.session());
        } else {
            printing.print(answer.outcome().value(), answer.session());
            answer(answer.outcome().value() instanceof Text ? null : caller.value(answer));
        }
    }

    private Outcome<?> outcome(Builtin builtin, List<String> words) throws Exception {
        Object value = builtin.run(words.subList(1, words.size()), session);
        return value instanceof Outcome<?> outcome ? outcome : new Outcome<>(value, ExitCode.OK);
    }

    /** What a command or a pipe answers, for a variable. */
    public @Nullable Object value(LineKind kind) throws Exception {
        return switch (kind) {
            case LineKind.Command(String line) -> value(line);
            case LineKind.Piped(String text, int code) -> value(text, Statement.parse(text, code));
            default -> throw new IllegalArgumentException("neither a command nor a pipe: " + kind);
        };
    }

    /** What a command line answers, for code: one statement, not printed; its failure is thrown. */
    public @Nullable Object value(String text) throws Exception {
        return value(text, Statement.parse(shared.aliases().expand(text)));
    }

    private @Nullable Object value(String text, List<Statement> statements) throws Exception {
        if (statements.size() != 1 || statements.getFirst().background()) {
            throw CommandFailure.usage("expected exactly one command").detail(text);
        }
        return value(statements.getFirst(), null);
    }

    /**
     * What the last stage makes of the first. A first command that failed in part is a failure, or its status is noted
     * in {@code status}: rows about trouble are there to be filtered.
     */
    private @Nullable Object value(Statement statement, @Nullable AtomicInteger status) throws Exception {
        Object value = null;
        for (int i = 0; i < statement.stages().size(); i++) {
            stop().check();
            value = stage(statement, i, value, status);
        }
        return value;
    }

    private Cancellation stop() {
        return Stop.current(session.cancellation());
    }

    private @Nullable Object stage(Statement statement, int index, @Nullable Object input,
            @Nullable AtomicInteger status) throws Exception {
        Statement.Stage stage = statement.stages().get(index);
        boolean first = index == 0;
        boolean last = index == statement.stages().size() - 1 && statement.redirect().isEmpty();
        if (stage.system().isPresent()) {
            return system(stage.system().get().command(), first ? null : output.text(input), last);
        }
        boolean piped = first && statement.stages().size() > 1;
        if (piped && stage.code().isPresent()) {
            return language.get().entry(new Source("line", stage.code().get()));
        }
        List<String> words = expansion.words(stage);
        if (first && !words.getFirst().equals("from")) {
            return command(piped ? listed(words) : words, status);
        }
        if (!Pipes.VERBS.contains(words.getFirst())) {
            throw Pipes.unknown(words.getFirst());
        }
        return Pipes.apply(verb(stage, words), input);
    }

    /** A noun alone before a pipe is its list: {@code volume | count}. */
    private List<String> listed(List<String> words) {
        boolean noun = words.size() == 1 && shared.builtin(words) == null && caller.command(words.getFirst())
                .filter(spec -> !(spec.userObject() instanceof Action<?>) && spec.subcommands().containsKey("list"))
                .isPresent();
        return noun ? List.of(words.getFirst(), "list") : words;
    }

    private Object command(List<String> words, @Nullable AtomicInteger status) throws Exception {
        var captured = new Captured();
        Builtin builtin = shared.builtin(words);
        Object value;
        Outcome<?> outcome;
        if (builtin == null) {
            var answer = caller.writingTo(captured).call(words);
            value = caller.value(answer);
            outcome = answer.outcome();
        } else {
            outcome = outcome(builtin, words);
            value = Row.value(outcome.value());
        }
        if (outcome.exit() != ExitCode.OK && status != null && value != null) {
            status.set(outcome.status());
        } else if (outcome.exit() != ExitCode.OK) {
            throw CommandFailure.of(outcome.exit(), "CLI-00" + outcome.status(),
                    "'" + String.join(" ", words) + "' failed in part");
        }
        return value == null ? captured.text() : value;
    }

    private @Nullable Object system(String command, @Nullable String input, boolean last) throws Exception {
        if (caller.dryRun()) {
            CommandRunner.print(new Text("would run " + command + "\n"), session);
            return "";
        }
        var captured = new Captured();
        session.out().flush();
        int status = caller.recorded(command,
                () -> system.run(command, input, last ? Optional.empty() : Optional.of(captured), session, stop()));
        if (status != 0) {
            throw SystemCommand.failed(command, status);
        }
        return last ? null : captured.text();
    }

    private Pipes.Verb verb(Statement.Stage stage, List<String> words) throws Exception {
        Optional<Function<@Nullable Object, @Nullable Object>> block = Optional.empty();
        for (Token token : stage.tokens()) {
            if (token instanceof Token.Block code) {
                block = Optional.of(language.get().block(new Source("line", code.source())));
            }
        }
        return new Pipes.Verb(words.getFirst(), words.subList(1, words.size()), block, output);
    }

    private void redirect(@Nullable Object value, Statement.Redirect redirect) throws Exception {
        Path file = Path.of(String.join("", expansion.words(redirect.file())));
        if (caller.dryRun()) {
            CommandRunner.print(new Text("would write " + file + "\n"), session);
        } else {
            output.write(value, file, redirect.append());
        }
    }
}
