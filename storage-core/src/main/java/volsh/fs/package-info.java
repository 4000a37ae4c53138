/**
 * The words every layer of the file system shares: what a file is ({@link volsh.fs.Attributes}), what it is made of
 * ({@link volsh.fs.Extent}, {@link volsh.fs.BlockRow}) and how an operation is refused ({@link volsh.fs.FsError}).
 * Values only; this package knows nothing.
 */
@NullMarked
package volsh.fs;

import org.jspecify.annotations.NullMarked;
