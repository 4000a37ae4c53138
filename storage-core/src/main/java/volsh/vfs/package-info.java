/**
 * The file system as programs see it: {@link volsh.vfs.Vfs} has one method per POSIX verb, on inodes, and joins the
 * names and extents of {@code meta} with the bytes of {@code chunk}. Knows nothing of kernels, commands or stores.
 */
@NullMarked
package volsh.vfs;

import org.jspecify.annotations.NullMarked;
