package volsh.chunk;

/** Is told of parts of files that may have too many extents. */
public interface Crowded {
    /**
     * The part of the file that begins at {@code start} may be worth a {@link FileState#merge}. Must return quickly.
     */
    void found(long ino, long start);
}
