package volsh.script;

import volsh.command.console.Messages;

/** Messages of a script, on standard error. */
public final class Log {
    private final Messages messages;

    Log(Messages messages) {
        this.messages = messages;
    }

    /** Silenced by {@code -q}. */
    public void info(Object text) {
        messages.say(String.valueOf(text));
    }

    public void warn(Object text) {
        messages.warn(String.valueOf(text));
    }

    /** Shown with {@code -v}. */
    public void debug(Object text) {
        messages.detail(1, String.valueOf(text));
    }

    public void error(Object text) {
        messages.line("error: " + volsh.command.render.Printable.lines(String.valueOf(text)));
    }
}
