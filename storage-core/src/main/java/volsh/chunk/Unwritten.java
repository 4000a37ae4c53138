package volsh.chunk;

import java.util.Optional;

/**
 * Bytes of a file that only this process has.
 *
 * @param since   when the first of them was written, in nanoseconds since the epoch
 * @param failure why they could not be written out the last time; empty if that was not tried yet
 */
public record Unwritten(long ino, long bytes, long since, Optional<Throwable> failure) {}
