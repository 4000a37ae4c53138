/**
 * Objects of other people: a bucket, or a directory that is used like one, in which a key names an object that any
 * program may replace at any time. Unlike blocks, objects have arbitrary keys, change, and may be larger than memory.
 * Knows nothing of volumes.
 */
@NullMarked
package volsh.object;

import org.jspecify.annotations.NullMarked;
