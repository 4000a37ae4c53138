package volsh.command.line;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import volsh.command.Cancellation;
import volsh.command.Outcome;
import volsh.command.Session;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.line.Language.Source;
import volsh.command.run.Caller;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;

/** A program of lines or of code, run in this process. The language is started by the first code. */
public final class Program implements AutoCloseable {
    /** The words of the language that an entry may begin with; a test holds them to the language's own. */
    public static final Set<String> WORDS = Set.of("args", "attempt", "checkpointer", "checkpoints", "cli", "cmd",
            "confirm", "deadline", "defer", "each", "emit", "env", "expect", "export", "fail", "jobs", "log", "matrix",
            "mounts", "now", "opts", "parseJson",
            "random", "retry",
            "scratch", "sh", "shards", "sha256", "sleep", "slurm", "step", "stores", "toJson", "today", "volumes");

    /** How other shells make variables and read files. */
    private static final Pattern ELSEWHERE = Pattern.compile(
            "(?:let|mut|const|local)\\s+(?<variable>\\w+\\s*=.*)|open\\s+(?<file>[^\\s|]+).*", Pattern.DOTALL);
    private static final int SOURCES_MAX = 20;

    private final Session session;
    private final Cancellation cancellation;
    private final Caller caller;
    private final Lines lines;
    private final LineRule rule;
    private final Results results = new Results();
    private final AtomicInteger sourcing = new AtomicInteger();
    private volatile Language language;
    private volatile boolean failed;

    public Program(CommandTree tree, Session session, Cancellation cancellation) {
        this(tree, session, cancellation, new WholeLines(session));
    }

    /** {@code outlet}: the output of its jobs. */
    public Program(CommandTree tree, Session session, Cancellation cancellation, Outlet outlet) {
        this.session = session;
        this.cancellation = cancellation;
        this.caller = new Caller(tree, session.host(), session.options(), () -> Stop.current(cancellation));
        this.lines = new Lines(caller, session, this::language, new Jobs(outlet));
        this.rule = new LineRule(lines.words()::isCommand, this::named);
        lines.words().with("source", (words, _) -> source(words));
    }

    /** Runs a file of lines or of code as if it stood here: what it declares stays. */
    private Object source(List<String> words) throws Exception {
        if (words.size() != 1) {
            throw CommandFailure.usage("source needs a file of lines or of code");
        }
        if (sourcing.get() >= SOURCES_MAX) {
            throw CommandFailure.usage("files source each other more than " + SOURCES_MAX + " deep")
                    .detail(words.getFirst());
        }
        var source = Source.read(Path.of(words.getFirst()));
        sourcing.incrementAndGet();
        try {
            if (source.name().endsWith(".volsh") || source.name().endsWith(".transcript")) {
                return Outcome.ended(run(source));
            }
            language().entry(source);
            return null;
        } finally {
            sourcing.decrementAndGet();
        }
    }

    public LineRule rule() {
        return rule;
    }

    public Lines lines() {
        return lines;
    }

    /** What runs in the background. */
    public Jobs jobs() {
        return lines.words().jobs();
    }

    public Caller caller() {
        return caller;
    }

    private boolean named(String name) {
        return WORDS.contains(name) || Results.isName(name) || language != null && language.names().contains(name);
    }

    /** Words of the language, and what entries declared so far; does not start the language. */
    public Set<String> names() {
        Language started = language;
        return started == null ? WORDS : started.names();
    }

    /** The language, started if it was not. */
    public synchronized Language language() {
        if (language == null) {
            try {
                language = session.service(Language.Maker.class).start(caller, lines, session, cancellation);
                results.tell(language);
            } catch (RuntimeException failure) {
                throw failure;
            } catch (Exception failure) {
                throw CommandFailure.of(ExitCode.FAILED, "CLI-0071", "cannot start the script language")
                        .causedBy(failure);
            }
        }
        return language;
    }

    /**
     * Keeps what a line answered, for code: {@code _}, and what was {@code _} before as {@code _1}. Does not start the
     * language.
     */
    public synchronized void answered(Object value) {
        results.add(value);
        if (language != null) {
            results.tell(language);
        }
    }

    /** Keeps what a line ended with, for code: {@code _exit}. */
    public synchronized void ended(int status) {
        results.exit(status);
        if (language != null) {
            results.tell(language);
        }
    }

    /**
     * Runs commands and code as they stand in the text, and stops at the first failure unless it is to keep going.
     *
     * @return 0, or the status of the first failure
     */
    public int run(Source source) throws Exception {
        int status = watched(() -> runAll(source));
        if (status != 0) {
            failed = true;
        }
        return status;
    }

    /** Remembers whether it failed: what goes wrong at the end is then only a warning. */
    private <R> R watched(Callable<R> work) throws Exception {
        boolean done = false;
        try {
            R value = work.call();
            done = true;
            return value;
        } catch (Exit wish) {
            done = wish.status() == 0;
            throw wish;
        } finally {
            if (!done) {
                failed = true;
            }
        }
    }

    private int runAll(Source source) throws Exception {
        int first = 0;
        var entries = new Entries(source, rule);
        for (var entry = entries.next(); entry.isPresent(); entry = entries.next()) {
            cancellation.check();
            int status = Stop.under(cancellation, attempt(entry.get()));
            first = first == 0 ? status : first;
            if (status != 0 && !lines.keepsGoing()) {
                return first;
            }
        }
        return first;
    }

    private Callable<Integer> attempt(Entries.Entry entry) {
        return () -> {
            try {
                return entry(entry);
            } catch (CommandFailure failure) {
                return CommandRunner.fail(failure.detail(place(entry)), session);
            } catch (Exception failure) {
                if (cancellation.requested() && Diagnosis.of(failure).exit() == ExitCode.CANCELLED) {
                    boolean placed = failure instanceof CancelledException asked && !asked.where().isEmpty();
                    throw placed ? failure : new CancelledException(List.of(place(entry)));
                }
                return CommandRunner.fail(failure, session);
            }
        };
    }

    private static String place(Entries.Entry entry) {
        return entry.source().name() + ":" + entry.source().firstLine();
    }

    private int entry(Entries.Entry entry) throws Exception {
        switch (entry.kind()) {
            case LineKind.Nothing() -> { }
            case LineKind.Command(String line) -> {
                return lines.run(line);
            }
            case LineKind.Piped piped -> {
                return lines.run(piped);
            }
            case LineKind.Assigned assigned -> assign(assigned, lines);
            case LineKind.SystemLine(String command) -> {
                return lines.run("!" + command);
            }
            case LineKind.Code(String text) ->
                    language().entry(new Source(entry.source().name(), text, entry.source().firstLine()));
            case LineKind.Unknown(String _) -> throw unknown(entry.source().text());
        }
        return 0;
    }

    /** Runs a command or a pipe and keeps what it answers as a variable. @return the value */
    public Object assign(LineKind.Assigned assigned, Lines with) throws Exception {
        Object value = with.value(assigned.value());
        Object kept = value instanceof List<?> list ? new ArrayList<Object>(list) : value;   // code may sort it in place
        language().set(assigned.name(), kept);
        return kept;
    }

    /** The failure for a line that calls no command. */
    public CommandFailure unknown(String line) {
        Matcher elsewhere = ELSEWHERE.matcher(line.strip());
        if (elsewhere.matches()) {
            boolean variable = elsewhere.group("variable") != null;
            String word = line.strip().split("\\s", 2)[0];
            return CommandFailure.of(ExitCode.UNKNOWN_COMMAND, "CLI-0127", "unknown command '" + word + "'")
                    .hint(variable ? elsewhere.group("variable")
                            : "!cat %s | from %s".formatted(elsewhere.group("file"), format(elsewhere.group("file"))));
        }
        try {
            caller.call(Lexer.tokens(line).stream().map(token -> line.substring(token.start(), token.end())).toList());
        } catch (CommandFailure failure) {
            return failure;
        } catch (Exception other) {
            return CommandFailure.usage("unknown command").causedBy(other);
        }
        return CommandFailure.usage("unknown command: " + line);
    }

    private static String format(String file) {
        String ending = file.substring(file.lastIndexOf('.') + 1);
        return Set.of("csv", "tsv", "jsonl").contains(ending) ? ending : ending.equals("txt") ? "lines" : "json";
    }

    /** Runs a file of code with these arguments. */
    public Object script(Source source, List<String> arguments) throws Exception {
        return watched(() -> Stop.under(cancellation, () -> language().script(source, arguments)));
    }

    /** A program that comes to its end waits for its jobs. @return 0, or the status of the first that failed */
    public int awaitJobs() throws InterruptedException {
        int status = jobs().awaitAll(Stop.current(cancellation));
        if (status != 0) {
            failed = true;
        }
        return status;
    }

    /** Stops the running jobs, then runs deferred blocks. */
    @Override
    public synchronized void close() {
        jobs().close();
        if (language != null) {
            language.end(failed);
        }
    }
}
