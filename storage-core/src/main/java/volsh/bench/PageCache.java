package volsh.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What the kernel keeps of files in memory. */
public final class PageCache {
    private static final Path SWITCH = Path.of("/proc/sys/vm/drop_caches");

    private PageCache() {}

    /** Forgets all clean pages, names and inodes. @return whether that was allowed; only root may */
    public static boolean drop() {
        try {
            Files.writeString(SWITCH, "3", StandardOpenOption.WRITE);
            return true;
        } catch (IOException notAllowed) {
            return false;
        }
    }
}
