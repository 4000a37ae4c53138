/** Commands that measure storage, save the results in the home, and compare them. */
@NullMarked
package volsh.command.bench;

import org.jspecify.annotations.NullMarked;
