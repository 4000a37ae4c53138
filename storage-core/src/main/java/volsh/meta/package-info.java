/**
 * The name space: inodes, entries, extents, references, sessions and history. POSIX is written once here, in
 * {@link volsh.meta.Namespace}, over the transactions of a {@link volsh.engine.MetaEngine}. Knows nothing of
 * blocks, the bytes of files or databases.
 */
@NullMarked
package volsh.meta;

import org.jspecify.annotations.NullMarked;
