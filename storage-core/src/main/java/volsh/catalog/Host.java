package volsh.catalog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import volsh.proc.KernelFile;

/**
 * The machine this runs on, or the container: where two processes with the same name of it see the same process
 * numbers.
 */
public final class Host {
    private static final String USUAL_PROCESSES = "pid:[4026531836]";   // the number every Linux gives its first one

    private Host() {}

    /**
     * Its name, without asking the network; in a container with processes of its own, which may have the same, with
     * their number.
     */
    public static String name() {
        var processes = processes();
        return processes.equals(USUAL_PROCESSES) ? hostname() : hostname() + " " + processes;
    }

    private static String hostname() {
        try {
            return KernelFile.line(Path.of("/proc/sys/kernel/hostname"));
        } catch (IOException elsewhere) {
            var name = System.getenv("HOSTNAME");
            return name == null ? "localhost" : name;
        }
    }

    private static String processes() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        } catch (IOException elsewhere) {
            return USUAL_PROCESSES;
        }
    }
}
