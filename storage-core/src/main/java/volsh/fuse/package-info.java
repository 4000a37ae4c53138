/**
 * Mounts: kernel requests in, vfs calls out. A transport ({@code kernel}: the FUSE protocol on /dev/fuse) only
 * translates; everything else belongs in the vfs, where it can be tested without a mount.
 */
@NullMarked
package volsh.fuse;

import org.jspecify.annotations.NullMarked;
