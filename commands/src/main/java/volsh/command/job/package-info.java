/** The commands {@code job …}: background work in processes of its own. */
package volsh.command.job;
