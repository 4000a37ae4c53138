package volsh.fs;

import java.util.Optional;

/**
 * Bytes of a file that only this process has.
 *
 * @param since   when the first of them was written, in nanoseconds since the epoch
 * @param failure why writing them out last failed; empty if it was not tried yet
 */
public record Unwritten(long ino, long bytes, long since, Optional<Throwable> failure) {}
