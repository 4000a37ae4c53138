/**
 * An ordered map of byte keys with transactions: the contract of every metadata database ({@link
 * volsh.engine.MetaEngine}), the keys it holds, and what is common to all. Knows nothing of files.
 */
@NullMarked
package volsh.engine;

import org.jspecify.annotations.NullMarked;
