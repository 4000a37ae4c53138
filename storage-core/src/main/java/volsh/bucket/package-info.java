/**
 * Buckets as commands and mounts use them: opened from a store's URL, with calls that fail repeated. {@code
 * volsh.object} says what an object store is.
 */
@NullMarked
package volsh.bucket;

import org.jspecify.annotations.NullMarked;
