package volsh.command.file;

import java.util.Locale;
import volsh.fs.FileKind;

/** The names of file types. */
final class Kinds {
    private Kinds() {}

    static String word(FileKind kind) {
        return switch (kind) {
            case REGULAR -> "file";
            case SYMLINK -> "link";
            case DIRECTORY, FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE -> words(kind);
        };
    }

    private static String words(FileKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
