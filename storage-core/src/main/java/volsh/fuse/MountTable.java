package volsh.fuse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import volsh.proc.KernelFile;

/**
 * What is mounted where, as the kernel lists it: asking touches no file system, so a dead mount keeps nobody waiting.
 */
public final class MountTable {
    /** The type of our mounts. */
    public static final String TYPE = "fuse.volsh";

    private static final Path LIST = Path.of("/proc/self/mountinfo");

    private MountTable() {}

    /** A mount. No two live file systems have the same device number. */
    public record Line(Path mountPoint, String device, String type, String source) {
        public boolean isOurs() {
            return type.equals(TYPE);
        }
    }

    /** The topmost mount on this very directory. */
    public static Optional<Line> at(Path mountPoint) throws IOException {
        var wanted = mountPoint.toAbsolutePath().normalize();
        return lines().filter(line -> line.mountPoint().equals(wanted)).reduce((lower, upper) -> upper);
    }

    /** The mount a path is on, which is taken as it stands: the deepest, and of two on one directory the upper. */
    public static Optional<Line> above(Path path) throws IOException {
        return above(path, lines());
    }

    static Optional<Line> above(Path path, Stream<Line> lines) {
        return lines.filter(line -> path.startsWith(line.mountPoint()))
                .reduce((one, other) -> other.mountPoint().getNameCount() >= one.mountPoint().getNameCount() ? other : one);
    }

    /** Is this file system mounted anywhere, as this process sees it? */
    public static boolean contains(Line mounted) throws IOException {
        return lines().anyMatch(line -> line.device().equals(mounted.device()) && line.type().equals(mounted.type()));
    }

    private static Stream<Line> lines() throws IOException {
        return KernelFile.text(LIST).lines().flatMap(text -> parse(text).stream());
    }

    /**
     * {@code 36 35 98:0 /root /mount/point options… - type source super-options}; blanks in names are octal escapes.
     */
    static Optional<Line> parse(String text) {
        var fields = text.split(" ");
        for (int i = 6; i + 2 < fields.length; i++) {
            if (fields[i].equals("-")) {
                return Optional.of(new Line(Path.of(unescape(fields[4])), fields[2], fields[i + 1],
                        unescape(fields[i + 2])));
            }
        }
        return Optional.empty();
    }

    private static String unescape(String field) {
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) == '\\' && i + 3 < field.length()) {
                bytes.write(Integer.parseInt(field.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                bytes.write(field.charAt(i));
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
