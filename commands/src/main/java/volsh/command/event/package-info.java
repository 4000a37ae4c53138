/** The command that shows what happened on this machine. */
package volsh.command.event;
