/** Commands that set how fresh mounts show data, by directory; policies are {@link volsh.meta.Consistency}. */
@NullMarked
package volsh.command.consistency;

import org.jspecify.annotations.NullMarked;
