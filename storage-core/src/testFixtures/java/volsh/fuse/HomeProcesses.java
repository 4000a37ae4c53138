package volsh.fuse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import volsh.hang.Eventually;

/**
 * The processes that work below a directory of a test: mounts and jobs, which have it in their words or in their
 * environment. After {@code umount --lazy} a mount's process goes on and writes, as is promised; a temporary directory
 * can be deleted only when it has ended.
 */
public final class HomeProcesses {
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final Path PROC = Path.of("/proc");

    private HomeProcesses() {}

    /**
     * Waits until none is left. One that does not end is killed: it was to be left, and how it ends is not what the
     * test is about.
     */
    public static void awaitEnd(Path directory) throws IOException {
        long end = System.nanoTime() + LONGEST.toNanos();
        Eventually.value("no process of %s is left".formatted(directory), () -> {
            var left = of(directory);
            if (System.nanoTime() > end) {
                System.out.println("killed, as they went on below %s: %s".formatted(directory,
                        left.stream().map(ProcessHandle::info).toList()));
                left.forEach(ProcessHandle::destroyForcibly);
            }
            return left;
        }, List::isEmpty);
        }

    /** Other than this one. */
    private static List<ProcessHandle> of(Path directory) {
        long self = ProcessHandle.current().pid();
        return ProcessHandle.allProcesses().filter(process ->
                process.pid() != self && isOf(process, directory.toAbsolutePath().toString())).toList();
    }

    private static boolean isOf(ProcessHandle process, String directory) {
        var place = PROC.resolve(Long.toString(process.pid()));
        return text(place.resolve("cmdline")).contains(directory) || text(place.resolve("environ")).contains(directory);
    }

    /** Nothing, if it has ended, or is another user's. */
    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }
}
