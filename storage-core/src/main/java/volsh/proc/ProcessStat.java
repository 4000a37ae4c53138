package volsh.proc;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The kernel's status of a process (/proc/PID/stat): state, flags, start in ticks since boot, and exit code. */
public record ProcessStat(char state, long flags, long startTicks, long exitCode) {
    private static final Path PROC = Path.of("/proc");
    /** Ended, but not yet reaped by its parent: in a container that may be never. */
    private static final char ZOMBIE = 'Z';
    /** Fields are counted from after the name, which may contain anything. */
    private static final int FLAGS = 6;
    private static final int START_TIME = 19;

    /** Empty if there is no such process. */
    public static Optional<ProcessStat> of(long pid) {
        try {
            return Optional.of(parse(KernelFile.text(PROC.resolve(Long.toString(pid)).resolve("stat"))));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    static ProcessStat parse(String text) {
        var fields = text.substring(text.lastIndexOf(')') + 2).strip().split(" ");
        return new ProcessStat(fields[0].charAt(0), Long.parseLong(fields[FLAGS]), Long.parseLong(fields[START_TIME]),
                Long.parseLong(fields[fields.length - 1]));
    }

    /** Whether a process of this number runs. A zombie does not count. */
    public static boolean isRunning(long pid) {
        return of(pid).filter(ProcessStat::isRunning).isPresent();
    }

    public boolean isRunning() {
        return state != ZOMBIE;
    }
}
