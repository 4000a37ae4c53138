package volsh.prompt;

import java.time.Duration;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import volsh.unit.Span;

/** The right-hand prompt: running jobs, and the exit code and duration of the last line, if notable. */
final class RightPrompt {
    private static final int WIDE = 60;
    private static final Duration LONG = Duration.ofSeconds(1);

    private final Terminal terminal;
    private volatile int status;
    private volatile Duration took = Duration.ZERO;

    RightPrompt(Terminal terminal) {
        this.terminal = terminal;
    }

    void ended(int with, Duration after) {
        status = with;
        took = after;
    }

    String text(int jobs, boolean colour) {
        if (terminal.getWidth() < WIDE || terminal.getType().startsWith("dumb")) {
            return "";
        }
        var text = new AttributedStringBuilder();
        append(text, jobs == 0 ? "" : jobs == 1 ? "1 job" : jobs + " jobs", colour ? AttributedStyle.CYAN : -1);
        append(text, status == 0 ? "" : "exit " + status, colour ? AttributedStyle.RED : -1);
        append(text, took.compareTo(LONG) < 0 ? "" : span(took).toString(), colour ? AttributedStyle.BLUE : -1);
        return text.toAnsi(terminal);
    }

    private static void append(AttributedStringBuilder text, String part, int colour) {
        if (!part.isEmpty()) {
            text.append(text.length() == 0 ? "" : "  ")
                    .styled(colour < 0 ? AttributedStyle.DEFAULT : AttributedStyle.DEFAULT.foreground(colour), part);
        }
    }

    /** To the millisecond, which is enough for people. */
    static Span span(Duration time) {
        return new Span(Duration.ofMillis(time.toMillis()));
    }
}
