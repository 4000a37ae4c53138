package volsh.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Files in scripts: {@code path.text}, {@code path.bytes = ...}, {@code path / 'name'}. Found by Groovy as
 * {@link Units} is.
 */
public final class FileWords {
    private FileWords() {}

    public static byte[] getBytes(Path file) throws IOException {
        return Files.readAllBytes(file);
    }

    public static void setBytes(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes);
    }

    public static String getText(Path file) throws IOException {
        return Files.readString(file);
    }

    public static void setText(Path file, CharSequence text) throws IOException {
        Files.writeString(file, text);
    }

    public static List<String> readLines(Path file) throws IOException {
        return Files.readAllLines(file);
    }

    public static boolean exists(Path file) {
        return Files.exists(file);
    }

    /** Makes the directory and those above it. */
    public static Path mkdirs(Path directory) throws IOException {
        return Files.createDirectories(directory);
    }

    public static Path div(Path directory, CharSequence name) {
        return directory.resolve(name.toString());
    }
}
