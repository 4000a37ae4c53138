package volsh.prompt;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.widget.AutosuggestionWidgets;
import volsh.command.Cancellation;
import volsh.command.GlobalOptions;
import volsh.command.Host;
import volsh.command.Session;
import volsh.command.line.Exit;
import volsh.command.line.Language.Source;
import volsh.command.line.Program;
import volsh.command.run.CommandTree;
import volsh.volume.Home;

/** Reads entries from a person and runs them, until there are no more. */
public final class Prompt {
    private static final String HISTORY_LEFT_OUT = "*secret*:*SECRET*:*password*:*token*:*AKIA*";

    private static final Size USUAL = new Size(80, 24);

    private final CommandTree tree;
    private final Host host;
    private final Session session;

    private Prompt(CommandTree tree, Host host) {
        this.tree = tree;
        this.host = host;
        this.session = new Session(host, GlobalOptions.of(), new Cancellation());
    }

    /** Runs until the person leaves. @return the status to end with */
    public static int run(CommandTree tree, Host host) throws Exception {
        return new Prompt(tree, host).loop();
    }

    private int loop() throws Exception {
        try (Terminal terminal = TerminalBuilder.builder().name("volsh").system(true).build();
                var program = new Program(tree, session, session.cancellation())) {
            if (terminal.getWidth() < 1 || terminal.getHeight() < 1) {
                terminal.setSize(USUAL);   // a serial line, or a terminal that does not know itself
            }
            var entries = new PromptEntries(program, session);
            boolean colour = session.options().color().allows(true, host.environment());
            var aids = new PromptAids(tree, entries.rule(), entries::words, program::names, host.environment(), colour);
            LineReader reader = reader(terminal, aids);
            warmUp();
            while (true) {
                try {
                    running(terminal, entries.of(reader.readLine("volsh> ")));
                } catch (UserInterruptException cleared) {
                    // Ctrl-C on a line clears it.
                } catch (EndOfFileException left) {
                    return 0;
                } catch (Exit wish) {
                    return wish.status();
                }
            }
        }
    }

    private LineReader reader(Terminal terminal, PromptAids aids) throws Exception {
        LineReader reader = aids.install(aids.into(LineReaderBuilder.builder().terminal(terminal).appName("volsh"))
                .variable(LineReader.HISTORY_FILE, history())
                .variable(LineReader.HISTORY_IGNORE, HISTORY_LEFT_OUT)
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, terminal.getType().startsWith("dumb") ? "" : "%M> ")
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
                .option(LineReader.Option.HISTORY_INCREMENTAL, true)
                .option(LineReader.Option.HISTORY_TIMESTAMPED, true)
                .option(LineReader.Option.AUTO_FRESH_LINE, true)
                .build());
        if (!terminal.getType().startsWith("dumb")) {
            new AutosuggestionWidgets(reader).enable();
        }
        return reader;
    }

    /** Where lines typed before are kept, for nobody else to read. */
    private Path history() throws Exception {
        Path file = session.service(Home.class).state().resolve("history");
        Files.createDirectories(file.getParent());
        var mine = PosixFilePermissions.fromString("rw-------");
        if (Files.notExists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(mine));
        }
        Files.setPosixFilePermissions(file, mine);
        return file;
    }

    /** Runs an entry. Ctrl-C asks it to stop; again, or when it does not listen for a second, interrupts it. */
    private static void running(Terminal terminal, Callable<Void> entry, Cancellation stop) throws Exception {
        Thread runner = Thread.currentThread();
        var impatience = new Impatience(runner);
        Terminal.SignalHandler before = terminal.handle(Terminal.Signal.INT, _ -> {
            if (stop.requested()) {
                runner.interrupt();
            } else {
                stop.request();
                impatience.start();
            }
        });
        try {
            entry.call();
        } finally {
            impatience.end();
            terminal.handle(Terminal.Signal.INT, before);
        }
    }

    private static void running(Terminal terminal, PromptEntries.Entry entry) throws Exception {
        running(terminal, entry::run, entry.stop());
    }

    /** The first code would wait a second for Groovy: it is loaded while the person reads and types. */
    private void warmUp() {
        Thread.ofPlatform().daemon().name("warm-up").start(() -> {
            var silent = new Session(host.silent(), GlobalOptions.of(), new Cancellation());
            try (var program = new Program(tree, silent, silent.cancellation())) {
                program.language().entry(new Source("warm-up", "[1].collect { it + 1 }"));
            } catch (Exception notImportant) {
                // The person's own code will tell.
            }
        });
    }
}
