package volsh.shell;

import java.io.IOException;
import java.nio.file.Path;
import volsh.fs.Owner;
import volsh.proc.KernelFile;

/** The user of this process, from the kernel. */
final class ProcessOwner {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int EFFECTIVE = 2;
    /** The user nobody, where there is no /proc to ask. */
    private static final Owner UNKNOWN = new Owner(65534, 65534);

    private ProcessOwner() {}

    static Owner read() {
        try {
            return parse(KernelFile.text(STATUS));
        } catch (IOException elsewhere) {
            return UNKNOWN;
        }
    }

    /** From lines such as {@code Uid: 1000 1000 1000 1000}: real, effective, saved and file system id. */
    static Owner parse(String status) {
        return new Owner(id(status, "Uid:"), id(status, "Gid:"));
    }

    private static int id(String status, String key) {
        for (String line : status.lines().toList()) {
            if (line.startsWith(key)) {
                return Integer.parseUnsignedInt(line.strip().split("\\s+")[EFFECTIVE]);
            }
        }
        throw new IllegalArgumentException("no " + key + " in " + STATUS);
    }
}
