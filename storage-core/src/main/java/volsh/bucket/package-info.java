/**
 * Buckets as commands and mounts use them: opened from a store's URL, with calls that fail repeated. What an object store
 * is says {@code volsh.object}.
 */
@NullMarked
package volsh.bucket;

import org.jspecify.annotations.NullMarked;
