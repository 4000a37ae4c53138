package volsh.command.console;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;
import volsh.command.render.DisplayWidth;
import volsh.command.render.Json;
import volsh.command.render.Printable;
import volsh.command.render.Style;

/**
 * Messages for the user, on standard error. A progress line stays below the messages: each message clears it and draws
 * it again. Makes foreign text printable. A closed standard error is no failure. Thread-safe.
 */
public final class Messages {
    private static final String CLEAR = "\r\u001b[K";

    private final OutputStream target;
    private final BooleanSupplier colour;
    private final boolean quiet;
    private final int verbosity;
    private final boolean json;
    private String status = "";
    private int questions;

    public Messages(OutputStream target, boolean colour, boolean quiet, int verbosity) {
        this(target, () -> colour, quiet, verbosity);
    }

    /** {@code colour} is evaluated for each message, because a session may change the setting. */
    public Messages(OutputStream target, BooleanSupplier colour, boolean quiet, int verbosity) {
        this(target, colour, quiet, verbosity, false);
    }

    /** {@code json}: every message is a JSON object on a line, as progress is. */
    public Messages(OutputStream target, BooleanSupplier colour, boolean quiet, int verbosity, boolean json) {
        this.json = json;
        this.target = target;
        this.colour = colour;
        this.quiet = quiet;
        this.verbosity = verbosity;
    }

    /** A change, briefly: {@code created volume train (4MiB, zstd)}. Silenced by {@code -q}. */
    public void say(String message) {
        if (!quiet) {
            tell("message", message, "");
        }
    }

    private void tell(String kind, String message, String mark) {
        line(json ? Json.of(Map.of(kind, message)) : mark + Printable.lines(message));
    }

    /** A line of JSON, between other messages. */
    void json(String object) {
        line(object);
    }

    /** Something the user should know although the command succeeds. {@code -q} does not silence it. */
    public void warn(String message) {
        tell("warning", message, Style.YELLOW.on("warning:", colour()) + " ");
    }

    /** A step, for {@code -v} (level 1) and {@code -vv} (level 2). */
    public void detail(int level, String message) {
        if (verbosity >= level) {
            tell("detail", message, "");
        }
    }

    /** A line as it is, such as an error that was already made printable. */
    public synchronized void line(String text) {
        write(status.isEmpty() ? text + "\n" : CLEAR + text + "\n" + status);
    }

    /** A question: the cursor stays behind it. */
    public synchronized void ask(String question) {
        status("", 0);
        write(Printable.lines(question));
    }

    /** A question is on the screen: no progress is drawn over it. */
    synchronized void beginQuestion() {
        status("", 0);
        questions++;
    }

    synchronized void endQuestion() {
        questions--;
    }

    /** Shows this text below the messages, or nothing when empty, within {@code width} cells. */
    synchronized void status(String text, int width) {
        if (questions > 0) {
            return;
        }
        String line = width > 0 ? DisplayWidth.head(text, width - 1) : text;
        if (!line.isEmpty() || !status.isEmpty()) {
            status = line;
            write(CLEAR + line);
        }
    }

    public boolean quiet() {
        return quiet;
    }

    public boolean colour() {
        return colour.getAsBoolean();
    }

    private void write(String text) {
        try {
            target.write(text.getBytes(StandardCharsets.UTF_8));
            target.flush();
        } catch (IOException nobodyListens) {
            // standard error is closed, and there is no other place to report it
        }
    }
}
