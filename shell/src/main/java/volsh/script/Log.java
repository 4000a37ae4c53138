package volsh.script;

import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;
import volsh.command.console.Messages;
import volsh.command.render.Printable;
import volsh.command.render.Style;
import volsh.command.run.RunRecord;
import volsh.command.run.RunRecord.Kind;

/** Messages of a script, on standard error, each with its time. */
public final class Log {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    private final Session session;
    private final Messages messages;
    private final @Nullable RunRecord record;

    /** {@code record}: where messages are kept, too; null for nowhere. */
    Log(Session session, @Nullable RunRecord record) {
        this.session = session;
        this.messages = session.messages();
        this.record = record;
    }

    /** Silenced by {@code -q}. */
    public void info(Object text) {
        keep(Kind.LOG, text);
        tell(text);
    }

    /** As {@link #info}, for what the record keeps in another way. */
    void tell(Object text) {
        messages.say(time() + text);
    }

    public void warn(Object text) {
        keep(Kind.WARNING, text);
        messages.line(time() + Style.YELLOW.on("warning:", messages.colour()) + " "
                + Printable.lines(String.valueOf(text)));
    }

    /** Shown with {@code -v}. */
    public void debug(Object text) {
        messages.detail(1, time() + text);
    }

    public void error(Object text) {
        keep(Kind.ERROR, text);
        messages.line(time() + Style.RED.on("error:", messages.colour()) + " " + Printable.lines(String.valueOf(text)));
    }

    private String time() {
        return TIME.format(session.clock().instant().atZone(session.host().zone().get())) + " ";
    }

    private void keep(Kind kind, Object text) {
        if (record != null) {
            record.say(kind, String.valueOf(text));
        }
    }
}
