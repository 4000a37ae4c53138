package volsh.command.run;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import volsh.catalog.VolumePath;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Guard;
import volsh.command.Host;
import volsh.command.Mutation;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.RelativePaths;
import volsh.command.Session;
import volsh.command.Tabular;
import volsh.command.directory.DirectoryWords;
import volsh.command.directory.WorkingDirectory;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.render.Columns;
import volsh.command.render.Printable;
import volsh.command.render.Row;
import volsh.command.render.Text;

/**
 * Runs commands for a program, one call after the other: returns their results and throws their failures. The options
 * of the program apply to its commands, too. In a dry run, commands only show what they would change, and later
 * commands
 * may name objects that earlier ones would have created. Thread-safe.
 */
public final class Caller {
    private final CommandTree tree;
    private final CommandRunner runner;
    private final Host host;
    private final GlobalOptions options;
    private final Supplier<Cancellation> cancellation;
    private final Pending pending;
    private final WorkingDirectory directory;
    private final Map<String, Boolean> shown = new ConcurrentHashMap<>();

    /** The changes that a dry run has shown so far, and its output. */
    private record Pending(Host host, Set<String> names, AtomicInteger changes,
            AtomicReference<@Nullable RunRecord> record) {}

    /** {@code cancellation} supplies the cancellation of the calling thread, at each call. */
    public Caller(CommandTree tree, Host host, GlobalOptions options, Supplier<Cancellation> cancellation) {
        this(tree, host, options, cancellation, new Pending(host, ConcurrentHashMap.newKeySet(), new AtomicInteger(),
                new AtomicReference<>()), new WorkingDirectory());
    }

    private Caller(CommandTree tree, Host host, GlobalOptions options, Supplier<Cancellation> cancellation,
            Pending pending, WorkingDirectory directory) {
        this.tree = tree;
        this.runner = new CommandRunner(tree, host);
        this.host = host;
        this.options = options;
        this.cancellation = cancellation;
        this.pending = pending;
        this.directory = directory;
    }

    /** The same, but what its commands write goes to {@code out}. */
    public Caller writingTo(java.io.OutputStream out) {
        return new Caller(tree, host.writingTo(out), options, cancellation, pending, directory);
    }

    /** The failure of these words, with the line that was meant if that is known. */
    public Exception corrected(Exception failure, List<String> words) {
        return Correction.of(failure, words, tree, host.services()) instanceof Exception corrected ? corrected
                : failure;
    }

    /** The same in another process: what its commands write and ask goes there. */
    public Caller on(Host elsewhere) {
        return new Caller(tree, elsewhere, options, cancellation, pending, directory);
    }

    /** The working directory of the program, to which paths without a volume are relative. */
    public WorkingDirectory directory() {
        return directory;
    }

    /** The result of a call; {@code session} has its output options. */
    public record Answer(Outcome<?> outcome, CommandSpec spec, Session session) {}

    /** The command of this name, with all that are below it. */
    public Optional<CommandSpec> command(String name) {
        return tree.command(name);
    }

    /** The names that a line can begin with. */
    public Set<String> names() {
        return tree.beginnings();
    }

    public boolean dryRun() {
        return options.dryRun();
    }

    /** The number of changes that a dry run has shown. */
    public int changes() {
        return pending.changes().get();
    }

    /**
     * What is wrong with the words of a command, if anything, without running it. {@code partial}: there will be more
     * words.
     */
    public Optional<CommandFailure> problem(List<String> words, boolean partial) {
        return Call.problem(tree, words, partial);
    }

    /** From now on keeps in {@code record} what is called. */
    public void record(@Nullable RunRecord record) {
        pending.record().set(record);
    }

    /** Where the program's steps and messages are kept, if anywhere. */
    public Optional<RunRecord> record() {
        return Optional.ofNullable(pending.record().get());
    }

    /** Runs the words of one command. */
    public Answer call(List<String> words) throws Exception {
        return recorded(RunRecord.Kind.COMMAND, text(words), () -> perform(words), answer -> answer.outcome().status());
    }

    /** Runs a command of the system, which gives its exit code, and keeps it in the record if there is one. */
    public int recorded(String command, Callable<Integer> work) throws Exception {
        return recorded(RunRecord.Kind.SYSTEM, command, work, status -> status);
    }

    private <R> R recorded(RunRecord.Kind kind, String text, Callable<R> work, ToIntFunction<R> status)
            throws Exception {
        if (record().isEmpty()) {
            return work.call();
        }
        try (var item = record().get().begin(kind, text)) {
            try {
                R value = work.call();
                item.ended(status.applyAsInt(value));
                return value;
            } catch (Exception failure) {
                item.failed(failure);
                throw failure;
            }
        }
    }

    private static String text(List<String> words) {
        return String.join(" ", words.stream().filter(word -> !word.equals("--")).toList());
    }

    private Answer perform(List<String> words) throws Exception {
        var all = new ArrayList<>(options.inherited());
        all.addAll(words);
        Optional<VolumePath> here = directory.current().path();
        Call call = Call.parse(tree, all, here);
        var session = new Session(host, call.options(), cancellation.get());
        tell(call, all, session);
        try {
            return perform(call, session, call.words().subList(all.size() - words.size(), call.words().size()));
        } catch (Exception failure) {
            throw here.isPresent() && !call.words().equals(all) && missing(failure)
                    ? DirectoryWords.gone(here.get(), session).<Exception>map(gone -> gone).orElse(failure) : failure;
        }
    }

    /** Relative paths that are to be removed are shown in full. */
    private static void tell(Call call, List<String> typed, Session session) {
        boolean removes = call.spec().userObject() instanceof RelativePaths paths && !paths.takesDots();
        if (removes && !call.options().dryRun()) {
            call.words().stream().filter(word -> !typed.contains(word))
                    .forEach(word -> session.say("removing " + Printable.of(word)));
        }
    }

    private Answer perform(Call call, Session session, List<String> words) throws Exception {
        if (call.options().dryRun() && call.action().orElse(null) instanceof Mutation<?>) {
            return new Answer(plan(call, session, words), call.spec(), session);
        }
        try {
            var answer = new Answer(runner.perform(call, session), call.spec(), session);
            session.out().flush();
            return answer;
        } catch (Exception failure) {
            if (options.dryRun() && missing(failure) && mentionsPlanned(words)) {
                return new Answer(new Outcome<>(future(call), ExitCode.OK), call.spec(), session);
            }
            throw failure;
        }
    }

    private Outcome<?> plan(Call call, Session session, List<String> words) throws Exception {
        List<Plan.Change> changes;
        try {
            changes = CommandRunner.changes(runner.perform(call, session));
        } catch (Exception failure) {
            if (!missing(failure) || !mentionsPlanned(words)) {
                throw failure;
            }
            changes = Plan.of(text(words), "", "after the previous steps").changes();
        }
        pending.changes().addAndGet(changes.size());
        CommandRunner.tell(changes, new Session(pending.host(), call.options(), session.cancellation()));
        pending.names().addAll(arguments(call.spec()));
        return new Outcome<>(future(call), ExitCode.OK);
    }

    /** Stands for an object that does not exist yet: its name. */
    private static Row future(Call call) {
        List<String> arguments = arguments(call.spec());
        return Row.of(Map.of("name", arguments.isEmpty() ? "" : arguments.getFirst())).planned();
    }

    private static List<String> arguments(CommandSpec spec) {
        var arguments = new ArrayList<String>();
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            Object value = parameter.getValue();
            if (value instanceof Iterable<?> many && !(value instanceof java.nio.file.Path)) {
                many.forEach(item -> arguments.add(String.valueOf(item)));
            } else if (value != null) {
                arguments.add(value.toString());
            }
        }
        return arguments;
    }

    private static boolean missing(Exception failure) {
        return Diagnosis.of(failure).exit() == ExitCode.NOT_FOUND;
    }

    private boolean mentionsPlanned(List<String> words) {
        var names = new HashSet<>(pending.names());
        return words.stream().map(word -> word.startsWith("--") ? word.substring(word.indexOf('=') + 1) : word)
                .anyMatch(word -> names.stream().anyMatch(name ->
                        word.equals(name) || word.startsWith(name + ":") || word.startsWith(name + "/")));
    }

    /** Asks a question whose answer must be yes; fails without a terminal. A dry run only shows it. */
    public void confirm(String question, Session session) throws Exception {
        if (options.dryRun()) {
            CommandRunner.print(new Text("would ask: " + question + "\n"), session);
        } else {
            Confirmation.obtain(new Question(question), session);
        }
    }

    /** A question by itself. */
    private record Question(String text) implements Mutation<Void> {
        @Override
        public Columns<?> columns() {
            return Columns.NONE;
        }

        @Override
        public Plan plan(Session session) {
            return Plan.NOTHING;
        }

        @Override
        public Guard guard(Session session) {
            return new Guard.Ask(text);
        }

        @Override
        public Void run(Session session) {
            return null;
        }
    }

    /** The value for a program: rows that can load further columns with {@code show}. */
    public @Nullable Object value(Answer answer) {
        Object value = Row.value(answer.outcome().value());
        return switch (value) {
            case Row row -> closer(row, answer.spec());
            case List<?> list -> new ArrayList<Object>(
                    list.stream().map(item -> item instanceof Row row ? closer(row, answer.spec()) : item)
                    .toList());   // Groovy's sort works in place
            case null, default -> value;
        };
    }

    /** The columns of {@code show}, if rows of this command find further columns there. */
    Optional<Columns<?>> columnsOfShow(CommandSpec spec) {
        CommandSpec noun = spec.parent();
        boolean shown = noun != null && noun.parent() != null && !spec.name().equals("show") && shows(noun);
        return shown && CommandTree.below(tree.command(noun.name()).orElseThrow(), "show").userObject()
                instanceof Tabular rows ? Optional.of(rows.columns()) : Optional.empty();
    }

    /** The same row, which finds further columns in {@code show}, if its noun has that. */
    Row closer(Row row, CommandSpec spec) {
        CommandSpec noun = spec.parent();
        boolean shown = noun != null && noun.parent() != null && !spec.name().equals("show") && shows(noun);
        return shown ? row.lookingInto(() -> show(noun, row.name())) : row;
    }

    private boolean shows(CommandSpec noun) {
        return shown.computeIfAbsent(noun.name(), name -> tree.command(name)
                .map(all -> isNamedAlone(all.subcommands().get("show"))).orElse(false));
    }

    /** Whether its name alone identifies the object. */
    private static boolean isNamedAlone(picocli.@Nullable CommandLine show) {
        return show != null && show.getCommandSpec().positionalParameters().size() == 1
                && show.getCommandSpec().options().stream().noneMatch(option -> option.required());
    }

    private Row show(CommandSpec noun, String name) {
        try {
            Object value = Row.value(call(List.of(noun.name(), "show", "--", name)).outcome().value());
            return (Row) Objects.requireNonNull(value);
        } catch (RuntimeException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new java.util.concurrent.CompletionException(failure);
        }
    }
}
