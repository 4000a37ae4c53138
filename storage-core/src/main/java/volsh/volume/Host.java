package volsh.volume;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine this runs on. */
final class Host {
    private Host() {}

    /** Its name, without asking the network. */
    static String name() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException elsewhere) {
            var name = System.getenv("HOSTNAME");
            return name == null ? "localhost" : name;
        }
    }
}
