package volsh.chunk;

/** Hears of parts of files that may have more extents than is good for whoever reads them. */
public interface Crowded {
    /** Nobody cares. */
    Crowded NOBODY = (ino, start) -> {};

    /** The part of the file that begins at {@code start} is worth a {@link FileState#merge}, perhaps. Must be quick. */
    void found(long ino, long start);
}
