package volsh.command;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.Map;
import volsh.command.console.Messages;
import volsh.command.console.Output;
import volsh.command.console.Progress;
import volsh.command.console.ProgressChoice;
import volsh.command.console.ProgressDisplays;
import volsh.command.console.Terminal;
import volsh.command.failure.PastedHint;
import volsh.command.render.OutputFormat;
import volsh.command.render.View;

/**
 * The context of one call of a command: the streams, the global options, services, and the cancellation.
 */
public final class Session {
    private final Host host;
    private final GlobalOptions options;
    private final Cancellation cancellation;
    private final Output out;
    private final Messages messages;
    private boolean alone;

    public Session(Host host, GlobalOptions options, Cancellation cancellation) {
        this.host = host;
        this.options = options;
        this.cancellation = cancellation;
        this.out = new Output(host.out());
        this.messages = new Messages(host.err(), () -> options.color()
                .allows(host.terminal().error(), host.environment()), options.quiet(), options.verbosity(),
                options.progress() == ProgressChoice.JSON);
    }

    /** The one command of a process, which ends with it. */
    public static Session ofOneCommand(Host host, GlobalOptions options, Cancellation cancellation) {
        var session = new Session(host, options, cancellation);
        session.alone = true;
        return session;
    }

    /** Whether the process ends with this command. */
    public boolean isAlone() {
        return alone;
    }

    /** Standard input: data for commands that read {@code -}. */
    public InputStream in() {
        return host.in();
    }

    /** Standard output, for bytes that are the result themselves. Most commands return a value instead. */
    public OutputStream out() {
        return out;
    }

    /** Reports a change to the user; see {@link Messages#say}. */
    public void say(String message) {
        messages.say(message);
    }

    /** Warns the user; see {@link Messages#warn}. */
    public void warn(String message) {
        messages.warn(message);
    }

    /** Reports a step, shown with {@code -v}; see {@link Messages#detail}. */
    public void detail(String message) {
        messages.detail(1, message);
    }

    public Messages messages() {
        return messages;
    }

    /** Shows how many of {@code total} bytes are done, a negative total being unknown. Close it. */
    public Progress progress(String name, long total) {
        return displays().begin(name, total, true, host.clock());
    }

    /** As {@link #progress}, counting items. */
    public Progress progressOfItems(String name, long total) {
        return displays().begin(name, total, false, host.clock());
    }

    private ProgressDisplays displays() {
        return new ProgressDisplays(options.progress(), host.terminal(), host.environment(), messages);
    }

    /** A service of the application; opened on first use. */
    public <S> S service(Class<S> type) throws Exception {
        return host.services().of(type);
    }

    /** A command to paste, as it is written where it is shown: at our prompt, or in the shell of the system. */
    public String pasted(String hint) {
        return host.services().find(PastedHint.class).map(writing -> writing.apply(hint)).orElse(hint);
    }

    public Map<String, String> environment() {
        return host.environment();
    }

    public InstantSource clock() {
        return host.clock();
    }

    public Terminal terminal() {
        return host.terminal();
    }

    public GlobalOptions options() {
        return options;
    }

    public Cancellation cancellation() {
        return cancellation;
    }

    public Host host() {
        return host;
    }

    /** The width for text, in columns. */
    public int width() {
        return host.terminal().width(host.environment());
    }

    /** The requested format of the result. */
    public View view() {
        var terminal = host.terminal();
        OutputFormat.Kind kind = options.output().kind();
        boolean table = kind == OutputFormat.Kind.TABLE || kind == OutputFormat.Kind.WIDE;
        return new View(options.output(), options.columns(), options.sort(), options.headers(), host.zone(),
                table ? terminal.tableWidth(host.environment()) : Integer.MAX_VALUE, terminal.output(),
                options.color().allows(terminal.output(), host.environment()), Terminal.unicode(host.environment()));
    }
}
