/** The program: it turns a process into a host for commands, and signals into the wish to stop. */
@NullMarked
package volsh.shell;

import org.jspecify.annotations.NullMarked;
