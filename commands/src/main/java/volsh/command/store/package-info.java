/** Commands for stores, where volumes keep their blocks: {@code store add|list|show|probe|remove}. */
package volsh.command.store;
