/** Limits on what volumes and directories may hold: set, list, show, remove. */
package volsh.command.quota;
