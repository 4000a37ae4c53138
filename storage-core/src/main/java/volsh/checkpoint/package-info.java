/**
 * Checkpoints of training runs in a volume: a directory of files that appears whole or not at all, with a manifest of
 * the SHA-256 of each. They are plain directories ({@code /RUN/step-000000005000}, and {@code /RUN/latest} a link to
 * the last one saved), so a job that only sees a mount point reads them like any files.
 */
@NullMarked
package volsh.checkpoint;

import org.jspecify.annotations.NullMarked;
