package volsh.bucketfs;

import java.io.IOException;
import java.nio.file.Path;
import volsh.proc.KernelFile;

/** The process of a thread, from /proc. */
final class Processes {
    private static final String TGID = "Tgid:";

    private Processes() {}

    /** 0 if it is not known. */
    static int of(int thread) {
        if (thread == 0) {
            return 0;
        }
        try {
            return KernelFile.text(Path.of("/proc", Integer.toString(thread), "status")).lines()
                    .filter(line -> line.startsWith(TGID))
                    .mapToInt(line -> Integer.parseInt(line.substring(TGID.length()).strip())).findFirst().orElse(0);
        } catch (IOException gone) {
            return 0;
        }
    }
}
