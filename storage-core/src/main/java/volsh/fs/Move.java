package volsh.fs;

/**
 * Bytes of a file that are stored a second time, in another block. If the file still has the extent {@code from}
 * exactly as it was read, the part of it that {@code to} covers may be replaced by {@code to}: blocks never change, so
 * both hold the same bytes. Otherwise the bytes no longer belong to the file, and nothing is replaced.
 */
public record Move(Extent from, Extent to) {
    public Move {
        if (to.start() < from.start() || to.end() > from.end()) {
            throw new IllegalArgumentException("%s is not a part of %s".formatted(to, from));
        }
    }
}
