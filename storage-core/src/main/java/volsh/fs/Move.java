package volsh.fs;

/**
 * Bytes of a file that are stored a second time, in another block. Where the file still has the extent {@code from}, just
 * as it was read, the part of it that {@code to} covers may be replaced by {@code to}: blocks never change, so both hold
 * the same bytes. Where it no longer has it, the bytes are not the file's any more, and nothing is replaced.
 */
public record Move(Extent from, Extent to) {
    public Move {
        if (to.start() < from.start() || to.end() > from.end()) {
            throw new IllegalArgumentException("%s is no part of %s".formatted(to, from));
        }
    }
}
