package volsh.fs;

/** The type of an inode. The codes are written to disk and equal the type bits of {@code st_mode >> 12}. */
public enum FileKind {
    FIFO(1, 'p'),
    CHARACTER_DEVICE(2, 'c'),
    DIRECTORY(4, 'd'),
    BLOCK_DEVICE(6, 'b'),
    REGULAR(8, '-'),
    SYMLINK(10, 'l'),
    SOCKET(12, 's');

    private final int code;
    private final char letter;

    FileKind(int code, char letter) {
        this.code = code;
        this.letter = letter;
    }

    /** The four type bits of {@code st_mode}. */
    public int code() {
        return code;
    }

    /** The letter shown by {@code ls -l}. */
    public char letter() {
        return letter;
    }

    /** The kind with this code. @throws IllegalArgumentException if there is none */
    public static FileKind of(int code) {
        return switch (code) {
            case 1 -> FIFO;
            case 2 -> CHARACTER_DEVICE;
            case 4 -> DIRECTORY;
            case 6 -> BLOCK_DEVICE;
            case 8 -> REGULAR;
            case 10 -> SYMLINK;
            case 12 -> SOCKET;
            default -> throw new IllegalArgumentException("invalid file kind: " + code);
        };
    }
}
