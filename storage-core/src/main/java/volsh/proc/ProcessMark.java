package volsh.proc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Identifies one process among all that ever ran, in a few characters for the name of a file: {@code
 * BOOT.SPACE.PID.TICKS}. A process number is meaningful only within one boot of one machine and one pid namespace (a
 * container has its own), and is reused; with the start time in ticks it is unique.
 */
public record ProcessMark(String text) {
    private static final Pattern SHAPE = Pattern.compile(
            "([0-9a-f]{8})\\.([0-9]{1,20})\\.([0-9]{1,10})\\.([0-9]{1,20})");
    private static final String UNKNOWN = "0.0.0.0";

    /** Whether the process still runs, as far as this one can see. */
    public enum State { ALIVE, GONE, UNKNOWN }

    private static final class Own {
        static final ProcessMark MARK = read();
    }

    /** The mark of this process. */
    public static ProcessMark own() {
        return Own.MARK;
    }

    private static ProcessMark read() {
        long pid = ProcessHandle.current().pid();
        var ticks = ProcessStat.of(pid).map(ProcessStat::startTicks);
        try {
            return new ProcessMark(ticks.isEmpty() ? UNKNOWN : "%s.%d.%d".formatted(here(), pid, ticks.get()));
        } catch (IOException | UnsupportedOperationException unknown) {
            return new ProcessMark(UNKNOWN);
        }
    }

    /** This boot of this machine, and the pid namespace of this process. */
    private static String here() throws IOException {
        String boot = KernelFile.line(Path.of("/proc/sys/kernel/random/boot_id"));
        String space = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString().replaceAll("\\D", "");
        return boot.substring(0, 8) + "." + space;
    }

    /** Unknown for a process of another machine, or of an earlier boot of this one. */
    public State state() {
        var shape = SHAPE.matcher(text);
        try {
            if (!shape.matches() || !here().equals(shape.group(1) + "." + shape.group(2))) {
                return State.UNKNOWN;
            }
            long ticks = Long.parseLong(shape.group(4));
            var found = ProcessStat.of(Long.parseLong(shape.group(3)));
            if (found.isEmpty()
                    && (Files.exists(Path.of("/proc", shape.group(3))) || !Files.exists(Path.of("/proc/1")))) {
                return State.UNKNOWN;   // processes of other users are hidden (hidepid)
            }
            return found.filter(stat -> stat.isRunning() && stat.startTicks() == ticks).isPresent()
                    ? State.ALIVE : State.GONE;
        } catch (IOException | UnsupportedOperationException | NumberFormatException unknown) {
            return State.UNKNOWN;
        }
    }
}
