package volsh.fuse.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What is mounted where, as the kernel lists it: asking touches no file system, so a dead mount keeps nobody waiting. */
final class MountTable {
    private static final Path LIST = Path.of("/proc/self/mountinfo");

    private MountTable() {}

    /** A mount: its device number and its type. No two live file systems have the same device number. */
    record Mounted(String device, String type) {}

    /** The topmost mount on this directory. @throws NoSuchFileException if nothing is mounted there */
    static Mounted at(Path mountPoint) throws IOException {
        var wanted = escaped(mountPoint.toAbsolutePath().normalize().toString());
        return lines()
                .filter(fields -> fields[4].equals(wanted))
                .map(MountTable::mounted)
                .reduce((lower, upper) -> upper)
                .orElseThrow(() -> new NoSuchFileException(mountPoint.toString(), null, "nothing is mounted there"));
    }

    /** Is it mounted anywhere, as this process sees it? */
    static boolean contains(Mounted mounted) throws IOException {
        return lines().map(MountTable::mounted).anyMatch(mounted::equals);
    }

    private static Stream<String[]> lines() throws IOException {
        return Files.readString(LIST, StandardCharsets.UTF_8).lines().map(line -> line.split(" "));
    }

    private static Mounted mounted(String[] fields) {
        return new Mounted(fields[2], fields[after(fields, "-")]);
    }

    private static int after(String[] fields, String mark) {
        int at = 6;
        while (!fields[at].equals(mark)) {
            at++;
        }
        return at + 1;
    }

    private static String escaped(String path) {
        return path.replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011").replace("\n", "\\012");
    }
}
