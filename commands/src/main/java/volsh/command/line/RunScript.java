package volsh.command.line;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Action;
import volsh.command.Cancellation;
import volsh.command.Deadline;
import volsh.command.Examples;
import volsh.command.Outcome;
import volsh.command.PassesWords;
import volsh.command.Session;
import volsh.command.doctor.Redaction;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;
import volsh.command.line.Language.Source;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.command.run.RunRecord;
import volsh.command.run.RunReport;
import volsh.unit.Span;

@Command(name = "run", description = {"Run a script: commands and code in one process, stopping at the first failure.",
        "FILE.volsh holds command lines, any other file Groovy code with every command as a method; - reads lines"
                + " from standard input. Words after FILE are arguments of the script. 'volsh FILE', 'volsh -c LINE'"
                + " and 'volsh -e CODE' are short forms.",
        "Options of every command work before and after FILE, unless the script declares an option of that name; words"
                + " after -- are always the script's.",
        "-n and --dry-run always mean a dry run: the whole script runs, and its commands only show what they would"
                + " change. With --check nothing runs."})
@Examples({"volsh run --check -c 'volume list; df'", "volsh run -c 'volume list; df'",
        "volsh run -c 'volume list | select name,store | to csv'"})
public final class RunScript implements Action<Outcome<?>>, PassesWords {
    private static final Span PROLOG_TIME = new Span(Duration.ofSeconds(45));

    @Option(names = {"-c", "--command"}, paramLabel = "LINE", description = "Run this line: commands, pipes, ; && ||.")
    private @Nullable String line;

    @Option(names = {"-e", "--expression"}, paramLabel = "CODE", description = "Run this code and print its value.")
    private @Nullable String code;

    @Option(names = {"-k", "--keep-going"},
            description = "Continue lines after a failure; exit with the first failure's code.")
    private boolean keepGoing;

    @Option(names = {"--deadline", "--timeout"}, paramLabel = "TIME",
            description = "Stop after this time, with exit 124 (default: none; 45s with --prolog).")
    private @Nullable Span deadline;

    @Option(names = "--prolog", description = {
            "Run as a Slurm prolog or epilog: keep standard output clean, log to job-ID.log,",
            "and exit only with 0 or 1, because slurmd drains a node for anything else."})
    private boolean prolog;

    @Option(names = "--fail-open",
            description = "With --prolog: log a failure and exit 0, so that the job runs anyway.")
    private boolean failOpen;

    @Option(names = "--check",
            description = "Run nothing: list unknown commands, options and names, wrong values, syntax errors.")
    private boolean check;

    @Option(names = "--report", paramLabel = "FILE",
            description = "Write what was done, how long each step took and what failed to FILE.html or FILE.json.")
    private @Nullable Path report;

    @Option(names = {"-i", "--interactive"},
            description = "After the script, open a prompt that has its declarations.")
    private boolean interactive;

    @Parameters(paramLabel = "FILE", arity = "0..*", description = "Script, and its arguments.")
    private List<String> words = List.of();

    private final Supplier<CommandTree> tree;
    private Source source = new Source("", "");   // until it is read
    private List<String> arguments = List.of();
    private @Nullable RunRecord record;

    public RunScript(Supplier<CommandTree> tree) {
        this.tree = tree;
    }

    @Override
    public Outcome<?> run(Session session) throws Exception {
        if (failOpen && !prolog) {
            throw CommandFailure.usage("--fail-open needs --prolog");
        }
        if (line != null && code != null || line == null && code == null && words.isEmpty()) {
            throw CommandFailure.usage("missing script (or -c LINE, or -e CODE)").hint("volsh help run");
        }
        understand(session);
        if (check) {
            return check(session);
        }
        if (interactive) {
            return atPrompt(session);
        }
        return prolog ? asProlog(session) : reported(session);
    }

    /** Runs it and, if asked to, writes the report, however it ends. */
    private Outcome<?> reported(Session session) throws Exception {
        if (report == null) {
            return inTime(session);
        }
        requireReport(report);
        var noted = new RunRecord(session.clock(), new Redaction(session.environment())::of);
        record = noted;
        Instant start = session.clock().instant();
        Outcome<?> outcome = null;
        Problem problem = null;
        try {
            outcome = inTime(session);
            return outcome;
        } catch (Exception failure) {
            problem = Diagnosis.of(failure);
            throw failure;
        } finally {
            int status = outcome != null ? outcome.status() : problem != null ? problem.status()
                    : ExitCode.FAILED.status();
            String name = line != null ? "-c" : code != null ? "-e" : words.getFirst();
            List<String> arguments = line != null || code != null ? words : words.subList(1, words.size());
            Duration took = Duration.between(start, session.clock().instant());
            write(report, new RunReport(name, arguments, session.options().dryRun(), start, took, status,
                    Optional.ofNullable(problem), noted), session);
        }
    }

    private static void requireReport(Path report) {
        boolean known = report.toString().endsWith(".html") || report.toString().endsWith(".json");
        Path parent = report.toAbsolutePath().getParent();
        if (!known || parent == null || !Files.isDirectory(parent)) {
            throw CommandFailure.usage(known ? "--report: there is no directory " + parent
                    : "--report: '%s' ends neither in .html nor in .json".formatted(report));
        }
    }

    /** A report that cannot be written changes nothing about how the script ended. */
    private static void write(Path report, RunReport made, Session session) {
        try {
            Files.writeString(report, report.toString().endsWith(".html") ? made.html() : made.json());
        } catch (IOException failed) {
            session.warn("no report: " + Diagnosis.of(failed).message());
        }
    }

    private Outcome<?> check(Session session) throws Exception {
        try (var program = new Program(tree.get(), session, session.cancellation())) {
            var problems = new ScriptCheck(program, session.cancellation()).of(source, isLines());
            if (problems.isEmpty()) {
                session.say("no problems in " + source.name());
                return Outcome.ended(0);
            }
            var failure = CommandFailure.of(ExitCode.USAGE, "SCR-0012", "%d problem%s in %s"
                    .formatted(problems.size(), problems.size() == 1 ? "" : "s", source.name()));
            for (String problem : problems) {
                failure = failure.detail(problem);
            }
            throw failure;
        }
    }

    /** Reads the script, and takes options of every command from the words behind it. */
    private void understand(Session session) throws IOException {
        boolean file = line == null && code == null;
        source = line != null ? new Source("-c", line) : code != null ? new Source("-e", code) : source(session);
        List<String> given = file ? words.subList(1, words.size()) : words;
        var split = ScriptWords.isDeclaring(source.text()) ? ScriptWords.dryRun(given) : ScriptWords.all(given);
        arguments = split.arguments();
        var options = session.options();
        options.also(split.options());
        if (options.help() || options.version()) {
            throw CommandFailure.usage("the script has no %s of its own: it declares no cli { }"
                    .formatted(options.help() ? "help" : "version"))
                    .hint(options.help() ? "volsh run --help" : "volsh --version");
        }
        if (options.exitCode() && !options.dryRun()) {
            throw CommandFailure.usage("--exit-code needs --dry-run");
        }
        if (isLines()) {
            options.formatEveryCommand();
        }
    }

    private boolean isLines() {
        String name = source.name();
        return line != null
                || code == null && (name.equals("-") || name.endsWith(".volsh") || name.endsWith(".transcript"));
    }

    private Outcome<?> atPrompt(Session session) throws Exception {
        boolean attended = session.terminal().input() && session.terminal().output();
        if (prolog || deadline != null || report != null || !attended) {
            throw CommandFailure.usage("-i needs a terminal, and excludes --prolog, --deadline and --report");
        }
        return Outcome.ended(session.service(Interactive.class).after(session, (program, inner) -> {
            try {
                CommandRunner.print(start(program).value(), inner);
            } catch (Exception failure) {
                CommandRunner.fail(failure, inner);
            }
        }));
    }

    private Outcome<?> asProlog(Session session) throws Exception {
        deadline = deadline == null ? PROLOG_TIME : deadline;
        try (var manners = Prolog.open(session)) {
            var inner = new Session(manners.host(session.host()), session.options(), session.cancellation());
            int status;
            try {
                status = reported(inner).status();
            } catch (Exception failure) {
                status = CommandRunner.fail(failure, inner);
            }
            inner.out().flush();
            session.cancellation().check();
            return Outcome.ended(manners.end(status, failOpen, session));
        }
    }

    private Outcome<?> inTime(Session session) throws Exception {
        if (deadline == null) {
            return program(session, session.cancellation());
        }
        try (var limit = Deadline.in(deadline.duration(), session.cancellation())) {
            try {
                return program(new Session(session.host(), session.options(), limit.cancellation()),
                        limit.cancellation());
            } catch (Exception failure) {
                throw limit.expired() ? late(failure) : failure;
            } finally {
                Thread.interrupted();
            }
        }
    }

    private CommandFailure late(Exception stopped) {
        var failure = CommandFailure.of(ExitCode.TIMEOUT, "CLI-0124", "the script timed out after " + deadline);
        for (String line : stopped instanceof CancelledException asked ? asked.where() : List.<String>of()) {
            failure = failure.detail(line);
        }
        return failure;
    }

    private Outcome<?> program(Session session, Cancellation cancellation) throws Exception {
        try (var program = new Program(tree.get(), session, cancellation)) {
            program.lines().keepGoing(keepGoing);
            program.caller().record(record);
            Outcome<?> outcome;
            try {
                outcome = start(program);
            } catch (Exit wish) {
                return Outcome.ended(wish.status());
            }
            int late = outcome.status() == 0 ? program.awaitJobs() : 0;
            if (late != 0) {
                return Outcome.ended(late);
            }
            boolean pending = session.options().exitCode() && program.caller().changes() > 0 && outcome.status() == 0;
            return pending ? new Outcome<>(outcome.value(), ExitCode.PENDING) : outcome;
        } finally {
            session.out().flush();
        }
    }

    private Outcome<?> start(Program program) throws Exception {
        if (isLines()) {
            if (!arguments.isEmpty()) {
                program.language().set("args", arguments);
            }
            return Outcome.ended(program.run(source));
        }
        Object value = program.script(source, arguments);
        return code == null ? Outcome.ended(0) : new Outcome<>(value, ExitCode.OK);
    }

    private Source source(Session session) throws IOException {
        String name = words.getFirst();
        if (!name.equals("-")) {
            Path file = Path.of(name);
            if (Files.isDirectory(file)) {
                throw CommandFailure.of(ExitCode.NOT_EXECUTABLE, "CLI-0126",
                        "'" + name + "' is a directory, not a script");
            }
            return Source.read(file);
        }
        String text = new String(session.in().readAllBytes(), StandardCharsets.UTF_8);
        if (text.isBlank()) {
            throw CommandFailure.usage("standard input is empty: nothing to run").hint("volsh help");
        }
        return new Source("-", text);
    }
}
