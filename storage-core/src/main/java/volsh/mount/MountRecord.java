package volsh.mount;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Properties;
import volsh.fs.ShellWord;
import volsh.proc.ProcessStat;

/**
 * The record of a mount's process: its identity, where it is mounted and how. {@code detached} says that it is no
 * longer mounted, and the process only writes out what it has.
 */
public record MountRecord(MountSource source, Path mountPoint, long pid, Instant started, String options,
        Transport transport, boolean detached) {
    public MountRecord(MountSource source, Path mountPoint, long pid, Instant started, String options,
            Transport transport) {
        this(source, mountPoint, pid, started, options, transport, false);
    }

    MountRecord asDetached() {
        return new MountRecord(source, mountPoint, pid, started, options, transport, true);
    }

    /** How commands name the mount: a detached one also by its process, as another may be mounted there. */
    public String words() {
        return (detached ? "--pid %d ".formatted(pid) : "") + ShellWord.of(mountPoint);
    }

    /** Whether the process still runs. A zombie does not count. */
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
                    MountSource.parse(properties.getProperty("source")),
                    Path.of(properties.getProperty("mountPoint")),
                    Long.parseLong(properties.getProperty("pid")),
                    Instant.parse(properties.getProperty("started")),
                    properties.getProperty("options", ""),
                    Transport.of(properties.getProperty("transport", Transport.KERNEL.toString())),
                    Boolean.parseBoolean(properties.getProperty("detached", "false")));
        } catch (RuntimeException nonsense) {
            throw new IOException("invalid mount record: " + nonsense.getMessage(), nonsense);
        }
    }
}
