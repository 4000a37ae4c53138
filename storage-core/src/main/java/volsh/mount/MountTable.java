package volsh.mount;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the kernel has mounted, from {@code /proc/self/mountinfo}. */
final class MountTable {
    private static final Path INFO = Path.of("/proc/self/mountinfo");
    private static final String OURS = "fuse.volsh";

    private MountTable() {}

    /** One mount; the last of several on one path is the one on top. */
    record Line(Path mountPoint, String type, String source) {
        boolean isOurs() {
            return type.equals(OURS);
        }
    }

    static List<Line> read() throws IOException {
        var lines = new ArrayList<Line>();
        for (var text : Files.readAllLines(INFO, StandardCharsets.ISO_8859_1)) {
            parse(text).ifPresent(lines::add);
        }
        return lines;
    }

    /** {@code 36 35 98:0 /root /mount/point options… - type source super-options}; blanks in names are octal escapes. */
    static Optional<Line> parse(String text) {
        var fields = text.split(" ");
        for (int i = 6; i + 2 < fields.length; i++) {
            if (fields[i].equals("-")) {
                return Optional.of(new Line(Path.of(unescape(fields[4])), fields[i + 1], unescape(fields[i + 2])));
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

    /** What is mounted right there, if anything. */
    static Optional<Line> at(Path mountPoint) throws IOException {
        return read().stream().filter(line -> line.mountPoint().equals(mountPoint)).reduce((below, above) -> above);
    }

    static List<Line> ours() throws IOException {
        return read().stream().filter(Line::isOurs).toList();
    }
}
