package volsh.command;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import volsh.command.console.Terminal;
import volsh.command.failure.ExitCode;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;

/** A host whose streams are in memory and whose clock stands still unless it is told to run. */
public final class TestHost {
    public static final Instant NOW = Instant.parse("2026-11-16T10:15:30Z");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>(Map.of("LANG", "en_US.UTF-8"));
    private final Services services = new Services();
    private Terminal terminal = Terminal.none();
    private String input = "";
    private InstantSource clock = InstantSource.fixed(NOW);

    public TestHost terminal(int width) {
        terminal = new Terminal(true, true, true, () -> width);
        return this;
    }

    /** With a clock that runs. */
    public TestHost inTime() {
        clock = InstantSource.system();
        return this;
    }

    public TestHost typing(String text) {
        input = text;
        return this;
    }

    public TestHost with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public Services services() {
        return services;
    }

    public Host host() {
        return new Host(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), out, err, environment,
                clock, () -> ZoneOffset.UTC, terminal, services);
    }

    public Session session(String... options) {
        return new Session(host(), GlobalOptions.of(options), new Cancellation());
    }

    public ExitCode run(CommandTree tree, String... words) {
        return new CommandRunner(tree, host()).run(List.of(words), new Cancellation());
    }

    /** What went to standard output. */
    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** What went to standard error. */
    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
