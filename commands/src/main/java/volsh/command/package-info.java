/**
 * What the author of a command needs: an {@link volsh.command.Action} (or a {@link volsh.command.Mutation} with a plan)
 * is handed a {@link volsh.command.Session} and returns a typed value. The same object serves the command line, the
 * prompt and scripts; parsing, dry runs, confirmation, rendering, errors and completion are done around it in the
 * sub-packages.
 */
@NullMarked
package volsh.command;

import org.jspecify.annotations.NullMarked;
