package volsh.fuse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import volsh.proc.KernelFile;

/** The kernel's mount table. Reading it touches no file system, so a dead mount blocks nothing. */
public final class MountTable {
    /** The type of our mounts. */
    public static final String TYPE = "fuse.volsh";

    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs");
    private static final Path LIST = Path.of("/proc/self/mountinfo");

    private MountTable() {}

    /**
     * A mount. No two live file systems have the same device number. {@code readOnly}: the kernel refuses every change,
     * through any mount or remount.
     */
    public record Line(Path mountPoint, String device, String type, String source, String options, boolean readOnly) {
        public boolean isOurs() {
            return type.equals(TYPE);
        }

        /** Whether its content is lost on a restart. For container layers only if they are visible from here. */
        public boolean isInMemory() throws IOException {
            return IN_MEMORY.contains(type) || source.matches("/dev/z?ram[0-9]+")
                    || type.equals("overlay") && isUpperInMemory();
        }

        private boolean isUpperInMemory() throws IOException {
            var upper = Stream.of(options.split(",")).filter(option -> option.startsWith("upperdir="))
                    .map(option -> Path.of(option.substring(9)))
                    .findFirst().filter(path -> path.isAbsolute() && Files.isDirectory(path));
            var below = upper.isEmpty() ? Optional.<Line>empty() : above(upper.get());
            return below.isPresent() && !below.get().equals(this) && below.get().isInMemory();
        }
    }

    /** The topmost mount on this very directory. */
    public static Optional<Line> at(Path mountPoint) throws IOException {
        var wanted = mountPoint.toAbsolutePath().normalize();
        return lines().filter(line -> line.mountPoint().equals(wanted)).reduce((lower, upper) -> upper);
    }

    /** The mount that a path, taken literally, is on: the deepest, and of two on one directory the upper. */
    public static Optional<Line> above(Path path) throws IOException {
        return above(path, lines());
    }

    static Optional<Line> above(Path path, Stream<Line> lines) {
        return lines.filter(line -> path.startsWith(line.mountPoint()))
                .reduce((one, other) -> other.mountPoint().getNameCount() >= one.mountPoint().getNameCount()
                        ? other : one);
    }

    /** Whether what is or will be at this path is lost on a restart. */
    public static boolean isInMemory(Path path) throws IOException {
        var there = path.toAbsolutePath();
        for (var above = there.getParent(); above != null && !Files.exists(there); above = above.getParent()) {
            there = above;
        }
        var line = above(there.toRealPath());
        return line.isPresent() && line.get().isInMemory();
    }

    /** Whether this file system is mounted anywhere, as this process sees it. */
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
                String options = i + 3 < fields.length ? unescape(fields[i + 3]) : "";
                return Optional.of(new Line(Path.of(unescape(fields[4])), fields[2], fields[i + 1],
                        unescape(fields[i + 2]), options, isReadOnly(fields[5]) || isReadOnly(options)));
            }
        }
        return Optional.empty();
    }

    private static boolean isReadOnly(String options) {
        return options.equals("ro") || options.startsWith("ro,");
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
