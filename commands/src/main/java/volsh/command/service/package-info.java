/** Commands that mount and serve volumes when the machine starts. */
@NullMarked
package volsh.command.service;

import org.jspecify.annotations.NullMarked;
