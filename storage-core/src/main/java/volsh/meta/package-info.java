/**
 * The name space: inodes, entries, extents, references, sessions and history. POSIX is written once here, in
 * {@link volsh.meta.Namespace}, over the transactions of a {@link volsh.engine.MetaEngine}. Knows nothing of blocks, files'
 * bytes or databases; engines live in sub-packages.
 */
@NullMarked
package volsh.meta;

import org.jspecify.annotations.NullMarked;
