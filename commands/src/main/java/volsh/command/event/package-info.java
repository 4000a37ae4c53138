/** The command that shows events of this machine. */
@NullMarked
package volsh.command.event;

import org.jspecify.annotations.NullMarked;
