/** Commands for the keys of encrypted volumes: {@code volsh key}. */
@NullMarked
package volsh.command.key;

import org.jspecify.annotations.NullMarked;
