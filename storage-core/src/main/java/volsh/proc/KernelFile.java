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
 * <p>Not by {@link Files#readString} and its kin: they believe the size, which is 0 here, and first ask for a single byte. Numbers below
 * /proc/sys answer that with their first digit, and with nothing from there on: 20 is read as 2.
 */
public final class KernelFile {
    /** More than the kernel hands out at once. */
    private static final int LARGE = 64 << 10;

    private KernelFile() {}

    /** Its bytes, each as a character: names in it may be in any encoding. */
    public static String text(Path file) throws IOException {
        return text(file, StandardCharsets.ISO_8859_1);
    }

    /** A file of one line, without its end. */
    public static String line(Path file) throws IOException {
        return text(file, StandardCharsets.UTF_8).strip();
    }

    public static long number(Path file) throws IOException {
        var text = line(file);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException none) {
            throw new IOException("%s is no number: '%s'".formatted(file, text), none);
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
