/**
 * Files of tensors, as training frameworks write them: where in a file which tensor lies, of which type, and whether the file is whole.
 * Reads headers and directories only; trusts nothing it reads.
 */
@NullMarked
package volsh.tensor;

import org.jspecify.annotations.NullMarked;
