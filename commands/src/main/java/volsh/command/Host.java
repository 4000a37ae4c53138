package volsh.command;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Map;
import java.util.function.Supplier;
import volsh.command.console.Terminal;

/** The process around the commands, as an object: nothing below reads System.in, System.getenv or the system clock. */
public record Host(InputStream in, OutputStream out, OutputStream err, Map<String, String> environment,
                   InstantSource clock, Supplier<ZoneId> zone, Terminal terminal, Services services) {
    public Host {
        environment = Map.copyOf(environment);
    }

    /** The same host with output to another stream, which is no terminal. */
    public Host writingTo(OutputStream elsewhere) {
        var shown = new Terminal(terminal.input(), false, terminal.error(), terminal.size());
        return new Host(in, elsewhere, err, environment, clock, zone, shown, services);
    }

    /** The same host without output and input. */
    public Host silent() {
        return new Host(InputStream.nullInputStream(), OutputStream.nullOutputStream(), OutputStream.nullOutputStream(),
                environment, clock, zone, Terminal.none(), services);
    }
}
