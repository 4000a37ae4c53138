/** Help and manual pages, both generated from the command tree. */
package volsh.command.man;
