package volsh.script;

import groovy.lang.Closure;
import groovy.lang.Script;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.codehaus.groovy.runtime.FormatHelper;
import org.codehaus.groovy.runtime.typehandling.DefaultTypeTransformation;
import org.jspecify.annotations.Nullable;
import volsh.command.Deadline;
import volsh.command.failure.CancelledException;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.Diagnosis;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Problem;
import volsh.command.line.Exit;
import volsh.command.line.ScriptWords;
import volsh.command.line.Stop;
import volsh.command.line.SystemCommand;
import volsh.command.render.Json;
import volsh.command.render.Row;
import volsh.command.run.CommandRunner;
import volsh.command.run.RunRecord;
import volsh.command.run.RunReport;
import volsh.job.Jobs;
import volsh.unit.ByteSize;
import volsh.unit.Span;

/**
 * The base class of every script: each public method is a word of the language, beside the commands, which are words
 * too. A command that fails throws a {@link VolshException} and so ends the script, unless it is caught.
 */
public abstract class VolshScript extends Script {
    private Context context;

    void begin(Context given) {
        this.context = given;
    }

    // Names: session variables first, then commands. The names of commands are reserved, so neither hides the other.

    @Override
    public Object getProperty(String name) {
        if (!getBinding().hasVariable(name)) {
            Object word = switch (name) {
                case "args" -> context.arguments();
                case "opts" -> context.options();
                case "env" -> context.session().environment();
                case "jobs" -> jobs();
                case "checkpoints" -> context.vocabulary().checkpoints(context.session()::warn);
                case "log" -> log();
                case "slurm" -> new Slurm(context.session().environment());
                case "now" -> context.session().clock().instant();
                case "today" -> LocalDate.ofInstant(context.session().clock().instant(),
                        context.session().host().zone().get());
                default -> context.vocabulary().property(name);
            };
            if (word != null) {
                return word;
            }
        }
        return super.getProperty(name);
    }

    private Log log() {
        return new Log(context.session(), context.caller().record().orElse(null));
    }

    private List<ScriptJob> jobs() {
        try {
            return ScriptJob.all(context.lines().words().jobs(), context.session().service(Jobs.class));
        } catch (Exception unreadable) {
            throw VolshException.of(Diagnosis.of(unreadable), unreadable);
        }
    }

    /** {@code checkpoints('train', run: 'r1')}: those of a volume. */
    public @Nullable Object checkpoints(Map<String, ?> how, Object volume) {
        return context.vocabulary().call(List.of("checkpoint", "list"), how, volume);
    }

    public @Nullable Object checkpoints(Object volume) {
        return checkpoints(Map.of(), volume);
    }

    @Override
    public @Nullable Object invokeMethod(String name, Object arguments) {
        Object[] given = arguments instanceof Object[] many ? many : new Object[] {arguments};
        if (getBinding().hasVariable(name) && getBinding().getVariable(name) instanceof Closure<?> declared) {
            return declared.call(given);
        }
        if (context.vocabulary().isCommand(name)) {
            return context.vocabulary().call(List.of(name), given);
        }
        return super.invokeMethod(name, arguments);
    }

    // Output

    @Override
    public void println() {
        context.write("\n");
    }

    @Override
    public void println(Object value) {
        context.write(FormatHelper.toString(value) + "\n");
        context.flushForPeople();
    }

    @Override
    public void print(Object value) {
        context.write(FormatHelper.toString(value));
    }

    @Override
    public void printf(String format, Object value) {
        context.write(String.format(format, value));
    }

    @Override
    public void printf(String format, Object[] values) {
        context.write(String.format(format, values));
    }

    /** Prints a value as {@code -o} says: rows as a table, or as JSON, or however it was asked for. */
    public void emit(Object value) throws IOException {
        CommandRunner.print(value, context.session());
    }

    /** {@code emit rows, columns: ['name', 'used']}. */
    public void emit(Map<String, ?> how, Object value) throws IOException {
        if (!how.keySet().equals(Set.of("columns")) || !(how.get("columns") instanceof Collection<?> named)) {
            throw Arguments.usage("emit has only the option columns:, a list of names");
        }
        List<String> columns = named.stream().map(String::valueOf).toList();
        var chosen = new ArrayList<Row>();
        for (Object item : value instanceof Collection<?> many && !(value instanceof Map<?, ?>)
                ? many : List.of(value)) {
            chosen.add(row(item).select(columns));
        }
        emit(chosen);
    }

    @SuppressWarnings("unchecked") // a map in a script has names
    private static Row row(Object item) {
        return item instanceof Row row ? row : Row.of((Map<String, ?>) item);
    }

    /**
     * For a Slurm task prolog, which reads it: sets variables of the task. Goes to standard output even with --prolog.
     */
    public void export(Map<String, ?> variables) throws IOException {
        OutputStream real = context.session().host().out() instanceof volsh.command.line.Aside aside
                ? aside.data() : context.session().out();
        for (var variable : variables.entrySet()) {
            String line = "export " + variable.getKey() + "=" + variable.getValue() + "\n";
            real.write(line.getBytes(StandardCharsets.UTF_8));
        }
        real.flush();
    }

    // Commands and the system

    /** What a command line answers: {@code cmd('volume list | where { it.store == "lake" }')}. */
    public @Nullable Object cmd(String line) throws Exception {
        context.flush();
        return context.lines().value(line);
    }

    /**
     * Runs a command of the system and returns its output; fails if it fails. The shell interprets a text; a list is
     * passed as words without interpretation: {@code sh(['diff', a, b])}. A dry run only shows it.
     */
    public String sh(Object given) throws Exception {
        Result result = result(given);
        if (result.getFailure() != null) {
            throw result.getFailure();
        }
        return String.valueOf(result.getValue());
    }

    /** {@code sh('grep x file', check: false)} does not fail: it gives a result with {@code value} and {@code exit}. */
    public Object sh(Map<String, ?> how, Object given) throws Exception {
        if (!how.keySet().equals(Set.of("check")) || !(how.get("check") instanceof Boolean check)) {
            throw Arguments.usage("sh takes check: true or check: false and no other option");
        }
        return check ? sh(given) : result(given);
    }

    private Result result(Object given) throws Exception {
        context.flush();
        String command = given instanceof Collection<?> words ? SystemCommand.line(words) : given.toString();
        if (context.caller().dryRun()) {
            println("would run " + command);
            return new Result("", null, new Span(Duration.ZERO));
        }
        Supplier<Span> took = stopwatch();
        var out = new ByteArrayOutputStream();
        int status = context.caller().recorded(command,
                () -> SystemCommand.run(command, "", out, context.session().environment(), context.cancellation()));
        String text = out.toString(StandardCharsets.UTF_8).stripTrailing();
        return new Result(text, status == 0 ? null
                : VolshException.of(SystemCommand.failed(command, status).ending(status).problem(), text, null),
                took.get());
    }

    private Supplier<Span> stopwatch() {
        Instant start = context.session().clock().instant();
        return () -> new Span(Duration.between(start, context.session().clock().instant()).abs());
    }

    /** Asks before an action that is hard to undo; {@code -y} answers yes. */
    public void confirm(Object question) throws Exception {
        context.caller().confirm(question.toString(), context.session());
    }

    // How a script is called and how it ends

    /** Declares the options of the script, and reads them into {@code opts}. */
    public void cli(Closure<?> body) {
        var options = new CliOptions();
        body.rehydrate(options, this, this).call();
        if (options.wantsHelp(context.arguments())) {
            context.write(
                    options.help(getBinding().hasVariable("script") ? getBinding().getVariable("script").toString()
                    : "SCRIPT"));
            throw new Exit(0);
        }
        var words = ScriptWords.undeclared(context.arguments(), options::declares);
        understand(words.options());
        context.options(options.parse(words.arguments()));
    }

    /** Options of every command that stood behind the script, and that it did not declare. */
    private void understand(List<String> words) {
        var options = context.session().options();
        options.also(words);
        if (options.version() || options.exitCode() && !options.dryRun()) {
            throw Arguments.usage(options.version() ? "the script has no option --version"
                    : "--exit-code needs --dry-run");
        }
    }

    public void exit(int status) {
        throw new Exit(status);
    }

    public void exit() {
        throw new Exit(0);
    }

    /** Ends the script with an error. */
    public void fail(Object message) {
        fail(Map.of(), message);
    }

    /** {@code fail 'nightly failed', code: 3}. */
    public void fail(Map<String, ?> how, Object message) {
        int status = how.get("code") instanceof Number code ? code.intValue() : ExitCode.FAILED.status();
        if (status <= 0 || status > 255) {
            throw Arguments.usage("fail: code must be from 1 to 255, not " + how.get("code"));
        }
        throw VolshException.of(CommandFailure.of(ExitCode.of(status), "SCR-0001", message.toString()).ending(status)
                .problem(), null);
    }

    /** Ends the script with exit 11 unless the condition holds. In a dry run it only warns. */
    public void expect(Object condition) {
        expect(condition, null);
    }

    /** As {@link #expect(Object)}; the block says what is wrong, and is given the condition. */
    public void expect(Object condition, @Nullable Closure<?> message) {
        if (!DefaultTypeTransformation.castToBoolean(condition)) {
            missed(condition, List.of(), message);
        }
    }

    /**
     * Calls of {@code expect} come here when they are not met; {@code drawing} shows the values of the condition's
     * parts.
     */
    public void missed(Object condition, AssertionError drawing, Closure<?> message) {
        missed(condition, Expectations.lines(drawing), message);
    }

    private void missed(Object condition, List<String> drawing, @Nullable Closure<?> message) {
        String text = message == null ? "expectation not met" : String.valueOf(message.call(condition));
        if (context.caller().dryRun()) {
            context.session().warn("expectation not met in this dry run: " + text);
            return;
        }
        CommandFailure failure = CommandFailure.of(ExitCode.EXPECTATION, "SCR-0011", text);
        for (String line : drawing) {
            failure = failure.detail(line);
        }
        throw VolshException.of(failure.problem(), null);
    }

    /** Done at the end of the script, or of the {@code scratch} around it: the last first, also after a failure. */
    public void defer(Closure<?> block) {
        context.deferred().getFirst().add(block);
    }

    // Time, failure and repetition

    /** Limits the time of the block; it fails with {@link VolshException.Timeout}, exit 124. */
    public Object deadline(Object time, Closure<?> body) throws Exception {
        Span limit = span("deadline", time);
        try (var deadline = Deadline.in(limit.duration(), context.cancellation())) {
            try {
                return Stop.under(deadline.cancellation(), body::call);
            } catch (Exception failure) {
                if (deadline.expired()) {
                    var problem = CommandFailure.of(ExitCode.TIMEOUT, "CLI-0124", "timed out after " + limit).problem();
                    var late = VolshException.of(problem, stopped(failure) ? null : failure);
                    late.setStackTrace(failure.getStackTrace());   // names the line that was running
                    throw late;
                }
                throw failure;
            }
        }
    }

    /** Whether it only says that it was stopped. */
    private static boolean stopped(Exception failure) {
        return Explanation.wish(failure) || failure instanceof VolshException known
                && known.getExit() == ExitCode.CANCELLED.status();
    }

    private static Span span(String name, Object time) {
        return switch (time) {
            case Span span -> span;
            case Duration duration -> new Span(duration);
            case Number number -> throw Arguments.bare(name, number, Span.class);
            default -> Span.of(String.valueOf(time));
        };
    }

    /**
     * Waits, unless the script is to stop. Calls of {@code sleep} come here too; a number is milliseconds, as in
     * Groovy.
     */
    public void pause(Object time) {
        Duration wait = time instanceof Number millis ? Duration.ofMillis(millis.longValue())
                : span("sleep", time).duration();
        context.cancellation().check();
        try (var _ = context.cancellation().interrupting()) {
            Thread.sleep(wait);
        } catch (InterruptedException stopped) {
            throw new CancelledException();
        }
        context.cancellation().check();
    }

    public Object retry(Closure<?> body) {
        return retry(Map.of(), body);
    }

    /** {@code retry(times: 3, on: Unavailable, backoff: '5s..60s') { }}: without {@code on}, what is retryable. */
    public Object retry(Map<String, ?> how, Closure<?> body) {
        return new Retry(how).call(body, this::pause, text -> context.session().detail(text));
    }

    /**
     * Runs the block as a step: the log tells when it begins and how it ends, and the report of {@code run --report}
     * lists it.
     */
    public Object step(Object name, Closure<?> body) {
        Supplier<Span> took = stopwatch();
        var item = context.caller().record().map(record -> record.begin(RunRecord.Kind.STEP, name.toString()));
        log().tell("step " + name);
        try {
            Object value = body.call();
            log().tell("step %s done in %s".formatted(name, RunReport.rounded(took.get().duration())));
            return value;
        } catch (Throwable failure) {
            if (!(failure instanceof Exit)) {
                Problem problem = context.explanation(getBinding().getVariables().keySet()).of(failure).problem();
                boolean stopped = Explanation.wish(failure);
                item.ifPresent(done -> done.failed(problem.status(), stopped ? "stopped" : problem.message()));
                log().tell("step %s %s after %s".formatted(name, stopped ? "stopped" : "failed",
                        RunReport.rounded(took.get().duration())));
            }
            throw ScriptFailures.sneaky(failure);
        } finally {
            item.ifPresent(RunRecord.Item::close);
        }
    }

    /** Runs the block and returns a {@link Result} instead of failing. */
    public Result attempt(Closure<?> body) {
        Supplier<Span> took = stopwatch();
        try {
            return new Result(body.call(), null, took.get());
        } catch (VolshException failure) {
            return new Result(failure.getValue(), failure, took.get());
        } catch (Exception | AssertionError failure) {
            if (Explanation.wish(failure)) {
                throw ScriptFailures.sneaky(failure);
            }
            Problem problem = context.explanation(getBinding().getVariables().keySet()).of(failure).problem();
            return new Result(null, VolshException.of(problem, failure), took.get());
        }
    }

    public Batch each(Collection<?> items, Closure<?> body) throws Throwable {
        return each(Map.of(), items, body);
    }

    /** {@code each(files, parallel: 4, progress: 'restripe', onError: 'collect') { }}. */
    public Batch each(Map<String, ?> how, Collection<?> items, Closure<?> body) throws Throwable {
        for (String name : how.keySet()) {
            if (!List.of("parallel", "progress", "onError").contains(name)) {
                throw Arguments.usage("each has no option '" + name + "' (options: parallel, progress, onError)");
            }
        }
        int parallel = how.get("parallel") instanceof Number number ? number.intValue() : 1;
        boolean collect = "collect".equals(String.valueOf(how.get("onError")));
        if (parallel < 1
                || !collect && how.get("onError") != null && !"stop".equals(String.valueOf(how.get("onError")))) {
            throw Arguments.usage("each: parallel must be at least 1, and onError 'stop' or 'collect'");
        }
        Batch batch = each(items, parallel, collect, body, how.get("progress"));
        if (batch.size() < items.size()) {
            context.collected().add(batch, context.places().chain(new Throwable()));
        }
        return batch;
    }

    private Batch each(Collection<?> items, int parallel, boolean collect, Closure<?> body, @Nullable Object title)
            throws Throwable {
        if (title == null) {
            return Batch.run(items, parallel, collect, body, context.cancellation(), () -> { });
        }
        try (var progress = context.session().progressOfItems(title.toString(), items.size())) {
            return Batch.run(items, parallel, collect, body, context.cancellation(), () -> progress.add(1));
        }
    }

    /** Every combination: {@code matrix(size: ['1MiB', '4MiB'], threads: [4, 16])} is four maps. */
    public List<Map<String, Object>> matrix(Map<String, ? extends Collection<?>> axes) {
        List<Map<String, Object>> points = List.of(Map.of());
        for (var axis : axes.entrySet()) {
            var longer = new ArrayList<Map<String, Object>>();
            for (Map<String, Object> point : points) {
                for (Object value : axis.getValue()) {
                    var next = new LinkedHashMap<>(point);
                    next.put(axis.getKey(), value);
                    longer.add(next);
                }
            }
            points = longer;
        }
        return points;
    }

    // Checkpoints

    /**
     * Saves checkpoints of a run in the background of the script: {@code def saver = checkpointer('ckpts', run: 'r1',
     * keep: 'last=3')}, then {@code saver.save(step, directory, loss: 0.3)}. Closed when the script ends, if not
     * before.
     */
    public Checkpointer checkpointer(Map<String, ?> how, String volume) throws Exception {
        var made = Checkpointer.open(context.session(), volume, how);
        context.deferred().getFirst().add(new org.codehaus.groovy.runtime.MethodClosure(made, "close"));
        return made;
    }

    // Datasets

    /** The samples of shards, such as {@code shards('data:/train-*.tar')}: files, patterns or directories. */
    public ShardSamples shards(Object... words) {
        return new ShardSamples(context.session(), java.util.Arrays.stream(words).map(Object::toString).toList());
    }

    // Files

    /** A directory for as long as the block runs; what was deferred in it is done before it is removed. */
    public @Nullable Object scratch(Closure<?> body) throws IOException {
        var place = new ScratchPlace();
        var inner = new Deferred();
        context.deferred().push(inner);
        Throwable failure = null;
        Object value = null;
        try {
            value = body.call(place.directory());
        } catch (Throwable thrown) {
            failure = thrown;
        }
        context.deferred().remove(inner);
        Throwable after = inner.run(context::warnOfDeferred);
        if (failure == null) {
            failure = after;
        } else if (after != null) {
            context.warnOfDeferred(after);
        }
        try {
            place.close();
        } catch (IOException left) {
            failure = failure == null ? left : failure;
        }
        if (failure != null) {
            throw ScriptFailures.sneaky(failure);
        }
        return value;
    }

    /** The JSON in a text or a file, as maps, lists, texts and numbers. */
    public @Nullable Object parseJson(Object what) throws IOException {
        byte[] bytes = what instanceof Path || what instanceof File ? Files.readAllBytes(Path.of(what.toString()))
                : what.toString().getBytes(StandardCharsets.UTF_8);
        return volsh.json.Json.readValue(bytes);
    }

    /** A value as JSON on one line: rows and maps are objects, sizes are bytes, times seconds. */
    public String toJson(Object value) {
        return Json.ofValue(value);
    }

    /** Random bytes, the same for the same seed. */
    public byte[] random(Map<String, ?> how, Object size) {
        long count = size instanceof ByteSize given ? given.bytes() : ByteSize.of(size.toString()).bytes();
        if (size instanceof Number number) {
            throw Arguments.bare("random", number, ByteSize.class);
        }
        var bytes = new byte[Math.toIntExact(count)];
        (how.get("seed") instanceof Number seed ? new Random(seed.longValue()) : new Random()).nextBytes(bytes);
        return bytes;
    }

    public byte[] random(Object size) {
        return random(Map.of(), size);
    }

    /** The digest of a file, or of bytes. */
    public String sha256(Object what) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            if (what instanceof byte[] bytes) {
                digest.update(bytes);
            } else {
                try (var in = Files.newInputStream(Path.of(what.toString()))) {
                    in.transferTo(new java.security.DigestOutputStream(OutputStream.nullOutputStream(), digest));
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }
}
