package volsh.prompt;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import volsh.command.Cancellation;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.line.Entries;
import volsh.command.line.Exit;
import volsh.command.line.Job;
import volsh.command.line.Language.Source;
import volsh.command.line.LineKind;
import volsh.command.line.LineRule;
import volsh.command.line.LineWords.Printing;
import volsh.command.line.Lines;
import volsh.command.line.Program;
import volsh.command.line.Stop;
import volsh.command.line.SystemCommand;
import volsh.command.line.SystemStage;
import volsh.command.run.CommandRunner;

/**
 * Runs the entries of a prompt: commands and code, and a few prefix words that only a prompt has ({@code time},
 * {@code watch}, {@code fg}). Reports failures, and the prompt continues.
 */
final class PromptEntries {
    static final List<String> IN_FRONT = List.of("time", "watch", "fg");

    private final Program program;
    private final Session session;
    private final Foreground foreground;
    private final Screen screen;
    private final Printing printing;
    private final IntSupplier height;

    PromptEntries(Program program, Session session, Foreground foreground, Screen screen, Printing printing,
            IntSupplier height) {
        this.program = program;
        this.session = session;
        this.foreground = foreground;
        this.screen = screen;
        this.printing = printing;
        this.height = height;
        for (String word : IN_FRONT) {
            program.lines().words().with(word, (_, _) -> {
                throw CommandFailure.usage(word + " must be at the beginning of a line");
            });
        }
    }

    /** The rule of lines, which knows the prompt's own words and aliases too. */
    LineRule rule() {
        return program.rule();
    }

    /** Runs what was typed or pasted, one after the other until something fails. @return the status of the last */
    int run(String text) throws Exception {
        int status = 0;
        for (Entries.Entry entry : whole(text)) {
            status = reported(entry);
            if (status != 0) {
                return status;
            }
        }
        return status;
    }

    /** The status of the last line, for the next. */
    void ended(int status) {
        program.ended(status);
    }

    /**
     * Several lines are several entries; but code alone is one, because an {@code else} may stand on a line of its own.
     */
    private List<Entries.Entry> whole(String text) {
        var all = new ArrayList<Entries.Entry>();
        var entries = new Entries(new Source("prompt", text), rule());
        for (var entry = entries.next(); entry.isPresent(); entry = entries.next()) {
            all.add(entry.get());
        }
        boolean code = all.size() > 1 && all.stream().allMatch(entry -> entry.kind() instanceof LineKind.Code);
        return code ? List.of(new Entries.Entry(new LineKind.Code(text), new Source("prompt", text))) : all;
    }

    /** Classifies the entry again, because the entry before may have defined an alias. */
    private int reported(Entries.Entry entry) throws Exception {
        try {
            return start(new Entries.Entry(rule().classify(entry.source().text()), entry.source()));
        } catch (InterruptedException ending) {
            throw ending;
        } catch (Exception failure) {
            return CommandRunner.fail(failure, session);
        }
    }

    private int start(Entries.Entry entry) throws Exception {
        String text = entry.source().text().strip();
        if (entry.kind() instanceof LineKind.Command(String line)) {
            String word = line.split("\\s+", 2)[0];
            String rest = line.substring(word.length()).strip();
            switch (word) {
                case "time" -> {
                    return time(rest);
                }
                case "watch" -> {
                    return watch(Watch.Wish.of(rest), text);
                }
                case "fg" -> {
                    return foreground.bring(rest.isEmpty() ? program.jobs().latest()
                            : program.jobs().named(List.of(rest)).getFirst());
                }
                default -> { }
            }
        }
        boolean command = entry.kind() instanceof LineKind.Command && !text.contains("!");
        return foreground.run(text, command, job -> () -> perform(entry, lines(job), session(job)));
    }

    private Session session(Job job) {
        return new Session(job.foregroundHost(session.host()), session.options(), job.cancellation());
    }

    private Lines lines(Job job) {
        return program.lines().on(job.foregroundHost(session.host()), job.cancellation(), printing,
                screen.transcript().keeps() ? SystemStage.USUAL : this::atTerminal).telling(program::answered);
    }

    /** A command of the system has the screen for itself. */
    private int atTerminal(String command, String input, Optional<OutputStream> captured, Session in, Cancellation stop)
            throws Exception {
        screen.lend();
        try {
            return SystemStage.TERMINAL.run(command, input, captured, in, stop);
        } finally {
            screen.takeBack();
        }
    }

    /** Runs an entry on the calling thread: from a sourced file, or a foreground line. */
    int perform(Entries.Entry entry, Lines lines, Session in) {
        try {
            return switch (entry.kind()) {
                case LineKind.Nothing() -> 0;
                case LineKind.Command(String line) -> quiet(lines.run(line));
                case LineKind.Piped piped -> quiet(lines.run(piped));
                case LineKind.Assigned assigned -> assigned(assigned, lines, in);
                case LineKind.SystemLine(String command) -> lines.run("!" + command);
                case LineKind.Code(String code) ->
                        show(program.language()
                                .entry(new Source(entry.source().name(), code, entry.source().firstLine())), in);
                case LineKind.Unknown(String _) -> throw program.unknown(entry.source().text());
            };
        } catch (Exit wish) {
            throw wish;
        } catch (Throwable failure) {
            return quiet(CommandRunner.fail(Stop.reason(failure, in.cancellation()), in));
        }
    }

    /** Quitting a pager is no failure. */
    private static int quiet(int status) {
        return status == ExitCode.BROKEN_PIPE.status() ? 0 : status;
    }

    /** Rows are not shown, only counted: they were asked for to be kept. */
    private int assigned(LineKind.Assigned assigned, Lines lines, Session in) throws Exception {
        Object value = program.assign(assigned, lines);
        if (!(value instanceof List<?> list)) {
            return show(value, in);
        }
        in.say("%s: %d %s".formatted(assigned.name(), list.size(), list.size() == 1 ? "row" : "rows"));
        return 0;
    }

    private int show(Object value, Session in) throws IOException {
        if (value != null) {
            program.answered(value);
            printing.print(value, in);
        }
        return 0;
    }

    /** A file of lines or of code, as if it were typed. @return 0, or the status of the first failure */
    int source(Source source, Session in, boolean goOn) throws Exception {
        Lines lines = program.lines().on(in.host(), Stop.current(in.cancellation()), Printing.PLAIN, SystemStage.USUAL);
        if (!source.name().endsWith(".volsh") && !source.name().endsWith(".transcript")) {
            return perform(new Entries.Entry(new LineKind.Code(source.text()), source), lines, in);
        }
        int first = 0;
        var entries = new Entries(source, rule());
        for (var entry = entries.next(); entry.isPresent() && (goOn || first == 0); entry = entries.next()) {
            int status = perform(entry.get(), lines, in);
            first = first == 0 ? status : first;
        }
        return first;
    }

    private int time(String line) throws Exception {
        if (line.isEmpty()) {
            throw CommandFailure.usage("time needs a line, such as: time volume list");
        }
        long start = System.nanoTime();
        Duration before = cpu();
        int status = run(line);
        Duration wall = Duration.ofNanos(System.nanoTime() - start);
        session.messages()
                .line("took %s, cpu %s".formatted(RightPrompt.span(wall), RightPrompt.span(cpu().minus(before))));
        return status;
    }

    private static Duration cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private int watch(Watch.Wish wish, String text) throws Exception {
        return foreground.run(text, false, job -> () -> {
            try {
                Function<Object, Object> until = wish.until().isEmpty() ? null
                        : program.language()
                        .block(new Source("--until", "{ it -> (" + wish.until() + ") as boolean }"));
                return new Watch(session(job), height)
                        .run(wish, () -> look(wish.line(), job), until, job.cancellation());
            } catch (Exception failure) {
                return CommandRunner.fail(failure, session(job));
            }
        });
    }

    private String said(String command, Job job) throws Exception {
        var said = new ByteArrayOutputStream();
        int status = SystemCommand.run(command, "", said, session.environment(), job.cancellation());
        if (status != 0) {
            throw SystemCommand.failed(command, status);
        }
        return said.toString(StandardCharsets.UTF_8);
    }

    private Object look(String line, Job job) throws Exception {
        return switch (rule().classify(line)) {
            case LineKind.Command(String command) -> lines(job).value(command);
            case LineKind.Piped piped -> lines(job).value(piped);
            case LineKind.Assigned assigned -> program.assign(assigned, lines(job));
            case LineKind.SystemLine(String command) -> said(command, job);
            case LineKind.Code(String code) -> program.language().entry(new Source("watch", code));
            case LineKind.Nothing(), LineKind.Unknown(String _) -> throw program.unknown(line);
        };
    }
}
