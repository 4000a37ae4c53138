package volsh.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import volsh.json.Fields;

/**
 * One process among all that ever were. Numbers of processes are used again; with the moment it began (in ticks since the machine's start) and
 * the machine's start itself it cannot be taken for another one.
 */
record ProcessIdentity(String host, String boot, long pid, long ticks) {
    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int STATE = 0;
    private static final int START_TIME = 19;

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
        return new ProcessIdentity(text(HOST), text(BOOT), pid, Long.parseLong(facts(pid)[START_TIME]));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    /** What the kernel says behind the process's name, which may hold anything. */
    private static String[] facts(long pid) throws IOException {
        var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    boolean isHere() throws IOException {
        return host.equals(text(HOST));
    }

    /** Is this very process still there? One that ended and was not yet waited for by its parent is not. */
    boolean isAlive() throws IOException {
        if (!boot.equals(text(BOOT))) {
            return false;
        }
        try {
            var facts = facts(pid);
            return !facts[STATE].equals("Z") && facts[START_TIME].equals(Long.toString(ticks));
        } catch (IOException gone) {
            return false;
        }
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
