/** Mounts of buckets for tests. */
@NullMarked
package volsh.bucketfs;

import org.jspecify.annotations.NullMarked;
