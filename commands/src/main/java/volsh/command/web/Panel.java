package volsh.command.web;

import java.time.Duration;
import java.util.List;

/**
 * A part of the console: commands whose answers it shows, and how often they are asked.
 *
 * @param always asked also without viewers, so that the page begins with a history
 */
record Panel(String name, Duration every, boolean always, Commands commands) {
    /** The commands to run now, as words. */
    interface Commands {
        List<List<String>> now() throws Exception;
    }

    static Panel of(String name, Duration every, String... words) {
        return new Panel(name, every, false, () -> List.of(List.of(words)));
    }

    Panel asAlways() {
        return new Panel(name, every, true, commands);
    }
}
