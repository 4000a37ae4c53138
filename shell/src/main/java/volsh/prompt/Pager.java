package volsh.prompt;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import volsh.command.Host;
import volsh.command.Session;
import volsh.command.console.Attendance;
import volsh.command.line.LineWords.Printing;
import volsh.command.run.CommandRunner;

/** Shows results, through a pager if they are taller than the screen and arrive quickly. */
final class Pager implements Printing {
    private static final String USUAL = "less -FXRSn";

    private final Settings settings;
    private final Screen screen;
    private final IntSupplier height;

    Pager(Settings settings, Screen screen, IntSupplier height) {
        this.settings = settings;
        this.screen = screen;
        this.height = height;
    }

    @Override
    public void print(@Nullable Object value, Session session) throws IOException {
        Optional<String> command = value == null ? Optional.empty() : command(session.environment());
        if (command.isEmpty() || !session.terminal().output() || !Attendance.isThere()) {
            CommandRunner.print(value, session);
            return;
        }
        session.out().flush();
        try (var paged = new Paged(session.host().out(), Math.max(2, height.getAsInt() - 1),
                () -> start(command.get(), session))) {
            var shown = new Session(on(session.host(), paged), session.options(), session.cancellation());
            CommandRunner.print(value, shown);
            shown.out().flush();
        }
    }

    private static Host on(Host host, OutputStream out) {
        return new Host(host.in(), out, host.err(), host.environment(), host.clock(), host.zone(), host.terminal(),
                host.services());
    }

    /** The configured pager, if it exists. */
    private Optional<String> command(Map<String, String> environment) {
        String chosen = settings.value("pager");
        if (chosen.equals("off") || "dumb".equals(environment.get("TERM"))) {
            return Optional.empty();
        }
        Stream<String> choices = chosen.equals("auto")
                ? Stream.of(environment.getOrDefault("VOLSH_PAGER", ""), environment.getOrDefault("PAGER", ""), USUAL)
                : Stream.of(chosen);
        return choices.filter(choice -> !choice.isBlank()).findFirst().filter(choice -> there(choice, environment));
    }

    private static boolean there(String command, Map<String, String> environment) {
        String program = command.strip().split("\\s+")[0];
        return Stream.of(environment.getOrDefault("PATH", "/usr/bin:/bin").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory).resolve(program)));
    }

    private Paged.Reader start(String command, Session session) throws IOException {
        var builder = new ProcessBuilder(List.of("/bin/sh", "-c", command)).inheritIO()
                .redirectInput(ProcessBuilder.Redirect.PIPE);
        builder.environment().clear();
        builder.environment().putAll(session.environment());
        screen.lend();
        return new Paged.Reader(builder.start(), screen);
    }
}
