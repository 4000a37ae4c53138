package volsh.prompt;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.widget.AutosuggestionWidgets;
import picocli.CommandLine.Model.CommandSpec;
import volsh.catalog.Home;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Host;
import volsh.command.Session;
import volsh.command.context.Context;
import volsh.command.failure.PastedHint;
import volsh.command.line.Exit;
import volsh.command.line.Interactive;
import volsh.command.line.Job;
import volsh.command.line.Program;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.command.typing.Lexicon;

/** Reads entries from the user and runs them, until the user leaves. */
public final class Prompt {
    private static final String GREETING = "volsh: TAB completes, F1 explains, help lists the commands, Ctrl-D leaves";
    private static final Size USUAL = new Size(80, 24);
    /** The number of consecutive failures of the line editor before the prompt ends. */
    private static final int TROUBLES = 3;

    private final CommandTree tree;
    private final Host process;
    private final Cancellation ending;
    private final GlobalOptions options;
    private final Terminal terminal;
    private final Screen screen;
    private final Session session;
    private final Settings settings;
    private final RightPrompt right;
    /** Every command: made in the background, once, for what is typed; what runs does not need it. */
    private final CompletableFuture<CommandSpec> spec;
    private boolean warned;

    private Prompt(CommandTree tree, Host process, GlobalOptions options, Cancellation ending, Terminal terminal) {
        this.tree = tree;
        this.process = process;
        this.ending = ending;
        this.options = options;
        this.terminal = terminal;
        this.screen = new Screen(process.out(), process.err());
        this.session = new Session(host(), options, ending);
        process.services().with(PastedHint.class, () -> PastedHint::atPrompt);
        this.settings = new Settings(options);
        this.right = new RightPrompt(terminal);
        this.spec = CompletableFuture.supplyAsync(tree::spec,
                work -> Thread.ofPlatform().daemon().name("words").start(work));
    }

    /**
     * Runs until the person leaves, or {@code ending} is requested.
     *
     * @param rc     whether to run the user's start-up files
     * @param script what to run before the first line is read
     * @return the status to end with
     */
    public static int run(CommandTree tree, Host host, GlobalOptions options, Cancellation ending, boolean rc,
            Interactive.Script script) throws Exception {
        try (Terminal terminal = TerminalBuilder.builder().name("volsh").system(true).build()) {
            if (terminal.getWidth() < 1 || terminal.getHeight() < 1) {
                terminal.setSize(USUAL);   // a serial line, or an unknown terminal
            }
            return new Prompt(tree, host, options, ending, terminal).loop(rc, script);
        }
    }

    private Host host() {
        var console = new volsh.command.console.Terminal(true, true, true, terminal::getWidth);
        return new Host(new Keyboard(process.in()), screen.data(), screen.messages(), process.environment(),
                process.clock(), process.zone(), console, process.services());
    }

    private int loop(boolean rc, Interactive.Script script) throws Exception {
        try (var program = new Program(tree, session, ending, screen)) {
            var foreground = new Foreground(terminal, screen, program.jobs());
            var entries = new PromptEntries(program, session, foreground, screen,
                    new Pager(settings, screen, terminal::getHeight), terminal::getHeight);
            Path state = session.service(Home.class).state();
            var history = new PromptHistory(PrivateFile.ready(state.resolve("history")));
            var words = new PromptWords(program, settings, entries, history, screen,
                    new AliasFile(state.resolve("aliases"))).install();
            LineReader reader = reader(program, words, history);
            if (script == Interactive.Script.NONE) {
                session.say(GREETING);
            }
            var start = new Start(entries, session, this::silent, rc);
            words.recall();
            start.lines();
            words.typed();
            screen.reader(reader, () -> ((LineReaderImpl) reader).setRightPrompt(right(program)));
            try (var _ = ending.onRequest(Thread.currentThread()::interrupt)) {
                script.run(program, session);
                start.code();
                return read(reader, program, entries, words, start);
            } catch (Exit wish) {
                return wish.status();
            } finally {
                screen.transcript().close();
            }
        }
    }

    private int read(LineReader reader, Program program, PromptEntries entries, PromptWords words, Start start)
            throws Exception {
        int troubles = 0;
        while (!ending.requested()) {
            try {
                String line = reader.readLine(left(program), right(program), (Character) null, null);
                start.await();
                run(line, entries, words);
                warned = false;
                troubles = 0;
            } catch (UserInterruptException cleared) {
                // Ctrl-C on a line clears it.
            } catch (EndOfFileException | org.jline.reader.EOFError left) {
                if (mayLeave(program)) {
                    return 0;
                }
            } catch (Exit wish) {
                if (mayLeave(program)) {
                    return wish.status();
                }
            } catch (Exception trouble) {   // of the editor; or the terminal was closed before us
                boolean hopeless = troubles++ == TROUBLES;
                if (hopeless && !ending.requested()) {
                    throw trouble;
                }
                if (!ending.requested()) {
                    CommandRunner.fail(trouble, session);
                }
            }
        }
        return 0;
    }

    private void run(String line, PromptEntries entries, PromptWords words) throws Exception {
        long begun = System.nanoTime();
        Transcript transcript = screen.transcript();
        transcript.entry(line, words.again(line));
        int status = entries.run(line);
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        right.ended(status, took);
        entries.ended(status);
        try {
            if (transcript == screen.transcript()) {   // else the entry was the end of it
                transcript.end(status, RightPrompt.span(took));
            }
        } catch (IOException full) {
            screen.transcript(Transcript.NONE);
            session.warn("cannot write the transcript, which ends here: " + full.getMessage());
        }
    }

    /** Warns once that leaving stops jobs; leaves on the second request. */
    private boolean mayLeave(Program program) {
        List<Job> running = program.jobs().running();
        if (running.isEmpty()) {
            return true;
        }
        if (warned) {
            session.say("stopping " + (running.size() == 1 ? "1 job" : running.size() + " jobs"));
            return true;
        }
        warned = true;
        running.forEach(job -> session.say("[%d] running  %s".formatted(job.number(), job.line())));
        session.warn("leaving stops " + (running.size() == 1 ? "this job" : "these jobs")
                + "; leave again to confirm, or type wait");
        return false;
    }

    private String left(Program program) throws Exception {
        return LeftPrompt.text(Context.of(session.service(Home.class)), program.caller().directory().path(),
                terminal.getWidth(), theme() != Theme.NONE && !dumb());
    }

    private String right(Program program) {
        return right.text(program.jobs().running().size(), theme() != Theme.NONE);
    }

    private Theme theme() {
        return options.color().allows(true, process.environment()) ? settings.theme() : Theme.NONE;
    }

    private boolean dumb() {
        return terminal.getType().startsWith("dumb");
    }

    private Lexicon lexicon(Program program, PromptWords words) {
        return new Lexicon(spec::join, tree.names(), program.rule(), words::described, program::names,
                program.caller().directory()::path, words::completed);
    }

    private LineReader reader(Program program, PromptWords words, PromptHistory history) {
        var aids = new PromptAids(lexicon(program, words), spec, process.environment(), theme() != Theme.NONE,
                shown -> theme().of(shown, process.environment()));
        LineReader reader = aids.install(aids.into(LineReaderBuilder.builder().terminal(terminal).appName("volsh"))
                .history(history)
                .variable(LineReader.HISTORY_FILE, history.file())
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, dumb() ? "" : "%M> ")
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
                .option(LineReader.Option.HISTORY_INCREMENTAL, true)
                .option(LineReader.Option.HISTORY_TIMESTAMPED, true)
                .option(LineReader.Option.AUTO_FRESH_LINE, true)
                .build());
        if (!dumb()) {
            suggest(new AutosuggestionWidgets(reader));
            Editor.bind(reader, screen, process.environment());
            LastArgument.bind(reader);
        }
        return reader;
    }

    private void suggest(AutosuggestionWidgets suggestions) {
        suggestions.enable();
        settings.onChange(() -> {
            if (settings.on("suggestions")) {
                suggestions.enable();
            } else {
                suggestions.disable();
            }
        });
    }

    /** A program without input and output, to load the classes that the first code needs. */
    private Program silent() {
        var unheard = new Session(process.silent(), GlobalOptions.of(), new Cancellation());
        return new Program(tree, unheard, unheard.cancellation());
    }
}
