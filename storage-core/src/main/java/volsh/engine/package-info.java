/**
 * An ordered map of byte keys with transactions: what every metadata database has to do ({@link
 * volsh.engine.MetaEngine}), the keys it holds, and what is the same in all of them. Knows nothing of files.
 */
@NullMarked
package volsh.engine;

import org.jspecify.annotations.NullMarked;
