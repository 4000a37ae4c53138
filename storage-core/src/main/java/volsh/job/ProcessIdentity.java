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
 * One process among all that ever were. Numbers of processes are used again; with the moment it began (in ticks since the machine's start) and
 * the machine's start itself it cannot be taken for another one.
 */
record ProcessIdentity(String host, String boot, long pid, long ticks) {
    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    static ProcessIdentity ofThisProcess() throws IOException {
        return at(ProcessHandle.current().pid());
    }

    /** A process that was there a moment ago; empty if it is gone. */
    static Optional<ProcessIdentity> of(long pid) {
        try {
            return Optional.of(at(pid));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private static ProcessIdentity at(long pid) throws IOException {
        return new ProcessIdentity(KernelFile.line(HOST), KernelFile.line(BOOT), pid, ProcessStat.of(pid).orElseThrow(() -> new NoSuchFileException("/proc/" + pid)).startTicks());
    }

    boolean isHere() throws IOException {
        return host.equals(KernelFile.line(HOST));
    }

    /** Is this very process still there? One that ended and was not yet waited for by its parent is not. */
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
        return new ProcessIdentity(fields.text("host"), fields.text("boot"), fields.number("pid"), fields.number("ticks"));
    }
}
