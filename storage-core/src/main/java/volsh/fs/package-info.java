/**
 * The values shared by all layers of the file system: attributes of files ({@link volsh.fs.Attributes}), their parts
 * ({@link volsh.fs.Extent}, {@link volsh.fs.BlockRow}) and errors ({@link volsh.fs.FsError}). Values only; this package
 * knows nothing.
 */
@NullMarked
package volsh.fs;

import org.jspecify.annotations.NullMarked;
