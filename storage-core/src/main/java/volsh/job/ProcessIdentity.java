package volsh.job;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import volsh.json.Fields;
import volsh.proc.KernelFile;
import volsh.proc.ProcessStat;

/**
 * Identifies one process among all that ever ran. Process numbers are reused; together with its start (in ticks since
 * boot) and the boot itself the number is unique.
 */
record ProcessIdentity(String host, String boot, long pid, long ticks) {
    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    static ProcessIdentity ofThisProcess() throws IOException {
        return at(ProcessHandle.current().pid());
    }

    /** The identity of a running process; empty if it is gone. */
    static Optional<ProcessIdentity> of(long pid) {
        try {
            return Optional.of(at(pid));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private static ProcessIdentity at(long pid) throws IOException {
        return new ProcessIdentity(KernelFile.line(HOST), KernelFile.line(BOOT), pid,
                ProcessStat.of(pid).orElseThrow(() -> new NoSuchFileException("/proc/" + pid)).startTicks());
    }

    boolean isHere() throws IOException {
        return host.equals(KernelFile.line(HOST));
    }

    /** Whether this very process still runs. A zombie does not count. */
    boolean isAlive() throws IOException {
        return boot.equals(KernelFile.line(BOOT))
                && ProcessStat.of(pid).filter(stat -> stat.isRunning() && stat.startTicks() == ticks).isPresent();
    }

    Map<String, Object> values() {
        var values = new LinkedHashMap<String, Object>();
        values.put("host", host);
        values.put("boot", boot);
        values.put("pid", pid);
        values.put("ticks", ticks);
        return values;
    }

    static ProcessIdentity of(Fields fields) throws IOException {
        return new ProcessIdentity(fields.text("host"), fields.text("boot"), fields.number("pid"),
                fields.number("ticks"));
    }
}
