/** Commands for stores, where volumes keep their blocks: {@code store add|list|show|probe|remove}. */
@NullMarked
package volsh.command.store;

import org.jspecify.annotations.NullMarked;
