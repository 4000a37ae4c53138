package volsh.mount;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Properties;
import volsh.catalog.VolumePath;
import volsh.proc.ProcessStat;

/**
 * What a mount's process leaves for others to find: who it is, where it is mounted and how; {@code detached} says that it was mounted there, and the process
 * goes on only to write out what it has.
 */
public record MountRecord(VolumePath source, Path mountPoint, long pid, Instant started, String options, Transport transport, boolean detached) {
    public MountRecord(VolumePath source, Path mountPoint, long pid, Instant started, String options, Transport transport) {
        this(source, mountPoint, pid, started, options, transport, false);
    }

    MountRecord asDetached() {
        return new MountRecord(source, mountPoint, pid, started, options, transport, true);
    }

    /** How commands are told which mount is meant: one that is detached by its process, as another may be mounted there. */
    public String words() {
        return (detached ? "--pid %d ".formatted(pid) : "") + mountPoint;
    }

    /** Is the process still there? One that ended and was not yet waited for by its parent is not. */
    public boolean isAlive() {
        return ProcessStat.isRunning(pid);
    }

    String toText() throws IOException {
        var properties = new Properties();
        properties.setProperty("source", source.toString());
        properties.setProperty("mountPoint", mountPoint.toString());
        properties.setProperty("pid", Long.toString(pid));
        properties.setProperty("started", started.toString());
        properties.setProperty("options", options);
        properties.setProperty("transport", transport.toString());
        properties.setProperty("detached", Boolean.toString(detached));
        var text = new StringWriter();
        properties.store(text, null);
        return text.toString();
    }

    static MountRecord parse(String text) throws IOException {
        var properties = new Properties();
        properties.load(new StringReader(text));
        try {
            return new MountRecord(
                    VolumePath.of(properties.getProperty("source")),
                    Path.of(properties.getProperty("mountPoint")),
                    Long.parseLong(properties.getProperty("pid")),
                    Instant.parse(properties.getProperty("started")),
                    properties.getProperty("options", ""),
                    Transport.of(properties.getProperty("transport", Transport.KERNEL.toString())),
                    Boolean.parseBoolean(properties.getProperty("detached", "false")));
        } catch (RuntimeException nonsense) {
            throw new IOException("not a mount record: " + nonsense.getMessage(), nonsense);
        }
    }
}
