/** Commands that mount volumes and look after mounts. */
package volsh.command.mount;
