/** Help and manual pages. Both are written from one description of a command, which is read off the command tree. */
@NullMarked
package volsh.command.man;

import org.jspecify.annotations.NullMarked;
