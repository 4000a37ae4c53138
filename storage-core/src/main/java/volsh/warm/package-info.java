/**
 * Cache requests by path: {@link volsh.warm.WarmJob} loads the files below some paths into the cache directories, pins
 * or evicts them, and {@link volsh.warm.Prefetch} loads files ahead of a reader with a known order. Runs where a volume
 * is open, in the process of a mount or of a command; knows nothing of how requests arrive.
 */
@NullMarked
package volsh.warm;

import org.jspecify.annotations.NullMarked;
