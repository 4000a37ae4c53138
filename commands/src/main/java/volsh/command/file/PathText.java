package volsh.command.file;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import volsh.catalog.VolumePath;
import volsh.fs.FsException;
import volsh.fs.Name;

/** Paths of volumes as text. */
final class PathText {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|[nrt])");

    private PathText() {}

    /** The same volume, one name further down. */
    static VolumePath below(VolumePath directory, String name) {
        var path = directory.path();
        return directory.at(path.endsWith("/") ? path + name : path + "/" + name);
    }

    /** The directory that holds the last name of the path. */
    static VolumePath parent(VolumePath place) {
        var path = withoutSlash(place);
        int last = path.lastIndexOf('/');
        return place.at(last <= 0 ? "/" : path.substring(0, last));
    }

    /** The last name of the path; empty if it has none: it is the root, or ends with a dot. */
    static Optional<Name> name(byte[] path) throws FsException {
        int end = path.length;
        while (end > 0 && path[end - 1] == '/') {
            end--;
        }
        int start = end;
        while (start > 0 && path[start - 1] != '/') {
            start--;
        }
        var last = new String(path, start, end - start, StandardCharsets.ISO_8859_1);
        boolean none = last.isEmpty() || last.equals(".") || last.equals("..");
        return none ? Optional.empty() : Optional.of(Name.of(Arrays.copyOfRange(path, start, end)));
    }

    private static String withoutSlash(VolumePath place) {
        return place.path().replaceAll("/+$", "");
    }

    /** Advice for a name that was not found because the JVM replaced bytes of the argument that are not UTF-8. */
    static String spelling(String path) {
        return path.indexOf('\uFFFD') < 0 ? ""
                : " (write bytes that are not UTF-8 as \\xNN, in quotes, as 'volsh ls' shows them)";
    }

    /**
     * Listings show bytes that are not UTF-8, and characters that a terminal would obey, as {@code \xNN}, {@code \n} or
     * {@code \u202e}; this reads such a path back. Empty if there are none in it.
     */
    static Optional<byte[]> unescaped(String path) {
        var matcher = ESCAPE.matcher(path);
        var bytes = new ByteArrayOutputStream();
        int at = 0;
        while (matcher.find()) {
            bytes.writeBytes(path.substring(at, matcher.start()).getBytes(StandardCharsets.UTF_8));
            bytes.writeBytes(meant(matcher.group()));
            at = matcher.end();
        }
        bytes.writeBytes(path.substring(at).getBytes(StandardCharsets.UTF_8));
        return at == 0 ? Optional.empty() : Optional.of(bytes.toByteArray());
    }

    private static byte[] meant(String escape) {
        return switch (escape.charAt(1)) {
            case 'n' -> new byte[] {'\n'};
            case 'r' -> new byte[] {'\r'};
            case 't' -> new byte[] {'\t'};
            case 'u' -> Character.toString(Integer.parseInt(escape, 2, 6, 16)).getBytes(StandardCharsets.UTF_8);
            default -> new byte[] {(byte) Integer.parseInt(escape, 2, 4, 16)};
        };
    }
}
