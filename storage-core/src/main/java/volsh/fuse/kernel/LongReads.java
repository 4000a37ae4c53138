package volsh.fuse.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Lets the kernel ask for a MiB at a time when a file is read from front to back through the page cache. By itself it asks for 128 KiB, and
 * every request costs two switches of threads. The protocol has no word for more: only the administrator may allow it, so mounts of
 * others go on as they were.
 */
final class LongReads {
    private static final Path DEVICES = Path.of("/sys/class/bdi");

    private LongReads() {}

    static void allow(String device) {
        try {
            Files.writeString(DEVICES.resolve(device).resolve("read_ahead_kb"), Integer.toString(Request.PAYLOAD_MAX >> 10), StandardOpenOption.WRITE);
        } catch (IOException notPermitted) {
            // it is faster with, and right without
        }
    }
}
