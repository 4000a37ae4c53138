package volsh.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import volsh.fs.FsException;
import volsh.fs.Name;

/**
 * Names and link targets of local files, byte for byte. Java's text of a path loses bytes that the locale's encoding
 * does not know; its URI does not.
 */
final class RawPaths {
    private static final boolean UTF_8_LOCALE = "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding"));
    private static final char UNDECODABLE = '\uFFFD';
    private static final Path ROOT = Path.of("/");

    private RawPaths() {}

    /** The last name of the path. */
    static Name name(Path path) throws FsException {
        return Name.of(bytes(path.getFileName()));
    }

    /** The target of a symbolic link. */
    static byte[] target(Path link) throws IOException {
        return bytes(Files.readSymbolicLink(link));
    }

    /** The path of {@code name} in the directory. */
    static Path resolve(Path directory, Name name) {
        return directory.resolve(path(name.bytes()));
    }

    /** The path with these bytes, absolute or relative. */
    static Path path(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.UTF_8);
        if (isFaithful(text)) {
            return Path.of(text);
        }
        boolean absolute = bytes[0] == '/';
        var encoded = new StringBuilder(absolute ? "file://" : "file:///");
        for (byte b : bytes) {
            encoded.append(b == '/' ? "/" : "%%%02X".formatted(b));
        }
        var path = Path.of(URI.create(encoded.toString()));
        return absolute ? path : path.subpath(0, path.getNameCount());
    }

    static byte[] bytes(Path path) {
        var text = path.toString();
        if (isFaithful(text)) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        var raw = ROOT.resolve(path).toUri().getRawPath();
        boolean slashAdded = raw.endsWith("/") && !text.endsWith("/");   // the URI of a directory ends with one
        return decoded(raw, path.isAbsolute() ? 0 : 1, raw.length() - (slashAdded ? 1 : 0));
    }

    private static byte[] decoded(String raw, int from, int to) {
        var bytes = new ByteArrayOutputStream();
        for (int i = from; i < to; i++) {
            if (raw.charAt(i) == '%') {
                bytes.write(Integer.parseInt(raw, i + 1, i + 3, 16));
                i += 2;
            } else {
                bytes.write(raw.charAt(i));
            }
        }
        return bytes.toByteArray();
    }

    /** Whether Java represents this text exactly by its UTF-8 bytes. */
    private static boolean isFaithful(String text) {
        return UTF_8_LOCALE ? text.indexOf(UNDECODABLE) < 0 : text.chars().allMatch(c -> c < 0x80);
    }
}
