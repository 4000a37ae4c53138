/**
 * Mounts through libfuse 2, by jnr-fuse: for machines on which the {@code kernel} transport cannot be used. libfuse
 * speaks in paths; each call resolves its path again, and open files are used by handle, so nothing here becomes stale
 * when files are renamed. Nothing outside this package knows jnr, and none of it is loaded before such a mount is made.
 */
@NullMarked
package volsh.fuse.jnr;

import org.jspecify.annotations.NullMarked;
