package volsh.command.run;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import volsh.command.Action;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Host;
import volsh.command.InBackground;
import volsh.command.Listing;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.PassesWords;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.console.PassphraseQuestion;
import volsh.command.console.ProgressChoice;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;
import volsh.command.failure.ProblemText;
import volsh.command.man.HelpPage;
import volsh.command.man.Manual;
import volsh.command.render.OutputFormat;
import volsh.command.render.Printable;
import volsh.command.render.Rendering;
import volsh.command.render.Text;

/**
 * Runs lines: what a command returns goes to standard output, whatever else happens becomes an error and an exit code.
 */
public final class CommandRunner {
    private final CommandTree tree;
    private final Host host;

    public CommandRunner(CommandTree tree, Host host) {
        this.tree = tree;
        this.host = host;
    }

    /** Runs one line to its end, printing its result or its error. Never throws. */
    public ExitCode run(List<String> words, Cancellation cancellation) {
        return ExitCode.of(status(words, cancellation));
    }

    /** As {@link #run}; the number is exact also when a script chose one that {@link ExitCode} does not know. */
    public int status(List<String> words, Cancellation cancellation) {
        Session session = null;
        try {
            Call call = Call.parse(tree, words);
            session = Session.ofOneCommand(host, call.options(), cancellation);
            long start = host.clock().millis();
            Outcome<?> outcome = perform(call, session);
            if (isPlan(call)) {
                tell(changes(outcome), session);
            } else {
                print(outcome.value(), session);
            }
            session.messages().detail(1, "took " + (host.clock().millis() - start) + " ms");
            return outcome.status();
        } catch (Throwable failure) {
            return fail(Correction.of(failure, words, tree, host.services()), session != null ? session
                    : new Session(host, GlobalOptions.guess(words), cancellation));
        }
    }

    /** Runs a call and gives its value without printing it: for the prompt and for scripts. */
    public Outcome<?> perform(Call call, Session session) throws Exception {
        GlobalOptions options = session.options();
        if (options.help()) {
            return ok(help(call, session));
        }
        if (options.version()) {
            return ok(BuildFacts.read());
        }
        Action<?> action = call.action().orElseThrow(() -> incomplete(call));
        if (options.exitCode() && !options.dryRun() && !(action instanceof PassesWords)) {
            throw CommandFailure.usage("--exit-code needs --dry-run");
        }
        if (action instanceof InBackground asked && asked.background() && !options.dryRun()) {
            return ok(Background.start(action, asked.title(), call.words(), session));
        }
        if (options.rows().isEmpty()) {
            return perform(action, session);
        }
        var chosen = new ChosenRows(new Caller(tree, host, options, session::cancellation), call.spec());
        chosen.requireColumns((Listing) action, options.rows());
        return chosen.of(perform(action, session), options.rows());
    }

    private static Outcome<?> perform(Action<?> action, Session session) throws Exception {
        return PassphraseQuestion.during(() -> session.terminal().input() && !session.options().noInput(),
                session.messages(), session.cancellation(), () -> performAsked(action, session));
    }

    private static Outcome<?> performAsked(Action<?> action, Session session) throws Exception {
        if (action instanceof Mutation<?> mutation) {
            if (session.options().dryRun()) {
                return pending(mutation.plan(session), session);
            }
            session.view().requireAmong(mutation.columns());
            Confirmation.obtain(mutation, session);
        } else if (action instanceof Listing listing) {
            session.view().requireAmong(listing.columns());
        }
        Object value = action.run(session);
        return value instanceof Outcome<?> outcome ? outcome : ok(value);
    }

    private static Outcome<?> pending(Plan plan, Session session) {
        if (plan.changes().isEmpty()) {
            session.say("nothing to do");
        }
        boolean pending = session.options().exitCode() && !plan.changes().isEmpty();
        var exit = plan.exit() != ExitCode.OK ? plan.exit() : pending ? ExitCode.PENDING : ExitCode.OK;
        return new Outcome<>(plan.changes(), exit);
    }

    private static boolean isPlan(Call call) {
        return call.options().dryRun() && !call.options().help() && !call.options().version()
                && call.action().orElse(null) instanceof Mutation<?>;
    }

    /** Shows the changes of a dry run: a sentence each, or rows in the other formats. The same for every route. */
    static void tell(List<Plan.Change> changes, Session session) throws IOException {
        boolean sentences = session.options().output().kind() == OutputFormat.Kind.TABLE
                && session.options().columns().isEmpty() && session.options().sort().isEmpty();
        if (!sentences) {
            print(changes, session);
            return;
        }
        var lines = new StringBuilder();
        changes.forEach(change -> lines.append("would ").append(Printable.of(change.toString().strip())).append('\n'));
        print(new Text(lines.toString()), session);
    }

    /** What a dry run found. */
    static List<Plan.Change> changes(Outcome<?> outcome) {
        return ((List<?>) Objects.requireNonNull(outcome.value())).stream().map(Plan.Change.class::cast).toList();
    }

    private static <T> Outcome<T> ok(@Nullable T value) {
        return new Outcome<>(value, ExitCode.OK);
    }

    private Text help(Call call, Session session) {
        boolean root = call.spec().parent() == null;
        var spec = root ? tree.spec() : call.spec();
        return new Text(HelpPage.of(Manual.of(spec), session.width(), session.view().colour()));
    }

    static CommandFailure incomplete(Call call) {
        var failure = CommandFailure.usage("missing command of " + call.spec().qualifiedName());
        var commands = Manual.of(call.spec()).commands();
        int width = commands.stream().mapToInt(entry -> entry.term().length()).max().orElse(0);
        for (var entry : commands) {
            failure = failure.detail(entry.term() + " ".repeat(width - entry.term().length() + 2) + entry.meaning());
        }
        return failure.hint(call.spec().qualifiedName() + " --help");
    }

    /** Prints a value as the session's options want it. */
    public static void print(@Nullable Object value, Session session) throws IOException {
        var writer = new OutputStreamWriter(session.out(), StandardCharsets.UTF_8);
        try {
            Rendering.print(value, session.view(), writer);
        } finally {
            writer.flush(); // rows before a failure are data too; a failed stream does not fail again
        }
    }

    /** Reports a failure in the session's format. @return the exit code */
    public static int fail(Throwable failure, Session session) {
        Problem problem = Diagnosis.of(failure).stopped(session.cancellation().exit());
        if (problem.exit() != ExitCode.BROKEN_PIPE) {
            boolean json = session.options().output().json()
                    || session.options().progress() == ProgressChoice.JSON;
            var messages = session.messages();
            messages.line(json ? ProblemText.json(problem) : ProblemText.human(problem.pasted(session::pasted),
                    messages.colour()));
        }
        if (session.options().debug()) {
            session.messages().line(trace(failure));
        }
        return problem.status();
    }

    private static String trace(Throwable failure) {
        var trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return volsh.command.render.Printable.lines(trace.toString().stripTrailing().replace("\t", "    "));
    }
}
