/** The command that shows events of this machine. */
package volsh.command.event;
