/** One screen about this machine: each {@link Look} tells how one kind of thing is, and the command shows them all. */
package volsh.command.status;
