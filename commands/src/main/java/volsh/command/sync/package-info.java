/** Makes places the same: {@code volsh sync} and {@code volsh stage}. */
@NullMarked
package volsh.command.sync;

import org.jspecify.annotations.NullMarked;
