/** Help and manual pages, both generated from the command tree. */
@NullMarked
package volsh.command.man;

import org.jspecify.annotations.NullMarked;
