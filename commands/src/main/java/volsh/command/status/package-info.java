/** The command {@code status}: each {@link Look} checks one kind of object. */
package volsh.command.status;
