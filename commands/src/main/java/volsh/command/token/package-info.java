/** Commands that grant temporary access to a volume: {@code volsh token}. */
@NullMarked
package volsh.command.token;

import org.jspecify.annotations.NullMarked;
