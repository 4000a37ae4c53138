/**
 * The FUSE protocol of the Linux kernel on /dev/fuse, through the foreign-function interface: no native library of ours
 * and none of libfuse. Node ids are inode numbers, so nothing is remembered per node but the version that the page
 * cache was filled with.
 */
@NullMarked
package volsh.fuse.kernel;

import org.jspecify.annotations.NullMarked;
