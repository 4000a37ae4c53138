/**
 * A bucket as a file system, without a volume: one file is one object, whose key is the path. {@link
 * volsh.bucketfs.BucketFileSystem} answers a mount from an {@link volsh.object.ObjectStore}. What is shown for keys
 * that are no paths says {@link volsh.bucketfs.SegmentName}; docs/SEMANTICS.md says what programs may rely on.
 */
@NullMarked
package volsh.bucketfs;

import org.jspecify.annotations.NullMarked;
