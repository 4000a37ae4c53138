/** The whole program as one tree: every command, the words they understand, and live names for completion. */
@NullMarked
package volsh.command.tree;

import org.jspecify.annotations.NullMarked;
