package volsh.command.console;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/**
 * Chooses how progress is shown: a redrawn line on a terminal, a plain line every 30 s elsewhere, JSON lines on demand.
 */
public record ProgressDisplays(ProgressChoice choice, Terminal terminal, Map<String, String> environment,
        Messages messages) {

    /** Begins a progress; {@code total} is negative when unknown. */
    public Progress begin(String name, long total, boolean bytes, InstantSource clock) {
        if (choice == ProgressChoice.NONE || choice == ProgressChoice.AUTO && messages.quiet()) {
            return Progress.HIDDEN;
        }
        return new LiveProgress(name, total, bytes, clock, display()).start();
    }

    LiveProgress.Display display() {
        if (choice == ProgressChoice.JSON) {
            return new JsonLines(messages);
        }
        boolean redraw = terminal.error() && !"dumb".equals(environment.get("TERM"));
        return redraw ? new Redrawn(messages, terminal.width(environment)) : new PlainLines(messages);
    }

    private record Redrawn(Messages messages, int width) implements LiveProgress.Display {
        @Override
        public Duration interval() {
            return Duration.ofMillis(200);
        }

        @Override
        public void show(Advance advance) {
            messages.status(advance.text(width), width);
        }

        @Override
        public void end(Advance advance) {
            messages.status("", 0);
        }
    }

    private record PlainLines(Messages messages) implements LiveProgress.Display {
        @Override
        public Duration interval() {
            return Duration.ofSeconds(30);
        }

        @Override
        public void show(Advance advance) {
            messages.say(advance.text(0));
        }

        @Override
        public void end(Advance advance) {}
    }

    private record JsonLines(Messages messages) implements LiveProgress.Display {
        @Override
        public Duration interval() {
            return Duration.ofSeconds(1);
        }

        @Override
        public void show(Advance advance) {
            messages.json(advance.json());
        }

        @Override
        public void end(Advance advance) {
            show(advance);
        }
    }
}
