/**
 * Tensor files of training frameworks: the place and type of each tensor, and whether the file is complete. Reads
 * headers and directories only; trusts nothing it reads.
 */
@NullMarked
package volsh.tensor;

import org.jspecify.annotations.NullMarked;
