/** Commands that mount volumes, and inspect and end mounts. */
package volsh.command.mount;
