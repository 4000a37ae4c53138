/**
 * Analysis of a line while it is typed: the place of the cursor, completion, tips, colours, and the matching help page.
 * All of it is pure: it runs nothing and, apart from live names, which come from elsewhere, reads nothing.
 */
@NullMarked
package volsh.command.typing;

import org.jspecify.annotations.NullMarked;
