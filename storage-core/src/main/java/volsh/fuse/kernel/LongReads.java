package volsh.fuse.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Raises the kernel's readahead to 1 MiB requests when a file is read sequentially through the page cache. The default
 * is 128 KiB, and every request costs two thread switches. The protocol cannot ask for more: only root may set it, so
 * mounts of other users keep the default.
 */
final class LongReads {
    private static final Path DEVICES = Path.of("/sys/class/bdi");

    private LongReads() {}

    static void allow(String device) {
        try {
            Files.writeString(DEVICES.resolve(device).resolve("read_ahead_kb"),
                    Integer.toString(Request.PAYLOAD_MAX >> 10), StandardOpenOption.WRITE);
        } catch (IOException notPermitted) {
            // only an optimization
        }
    }
}
