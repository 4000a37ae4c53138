/**
 * What is done with a cache by name: {@link volsh.warm.WarmJob} brings the files below some paths into the cache directories, pins them or
 * lets go of them, and {@link volsh.warm.Prefetch} stays a few files ahead of a reader whose order is known. Runs wherever a volume is
 * open, in a mount's process or in a command's; knows nothing of how it is asked.
 */
@NullMarked
package volsh.warm;

import org.jspecify.annotations.NullMarked;
