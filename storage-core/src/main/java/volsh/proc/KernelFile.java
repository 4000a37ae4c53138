package volsh.proc;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads files of /proc and /sys, each with one large read where that is enough.
 *
 * <p>Not with {@link Files#readString} and the like: they trust the size, which is 0 here, and first request a single
 * byte. Numbers below /proc/sys answer that with their first digit, and with nothing from there on: 20 is read as 2.
 */
public final class KernelFile {
    /** More than the kernel returns at once. */
    private static final int LARGE = 64 << 10;

    private KernelFile() {}

    /** Its bytes, each as a character: names may be in any encoding. */
    public static String text(Path file) throws IOException {
        return text(file, StandardCharsets.ISO_8859_1);
    }

    /** The content of a one-line file, without the line end. */
    public static String line(Path file) throws IOException {
        return text(file, StandardCharsets.UTF_8).strip();
    }

    public static long number(Path file) throws IOException {
        var text = line(file);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException none) {
            throw new IOException("%s is not a number: '%s'".formatted(file, text), none);
        }
    }

    private static String text(Path file, Charset characters) throws IOException {
        var text = new ByteArrayOutputStream();
        try (var in = Files.newInputStream(file)) {
            var buffer = new byte[LARGE];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                text.write(buffer, 0, length);
            }
        }
        return text.toString(characters);
    }
}
