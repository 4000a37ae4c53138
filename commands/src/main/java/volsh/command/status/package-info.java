/** The command {@code status}: each {@link Look} checks one kind of object. */
@NullMarked
package volsh.command.status;

import org.jspecify.annotations.NullMarked;
