/** Commands for whole volumes: {@code volume create|ensure|list|show|set|rename|destroy} and {@code df}. */
@NullMarked
package volsh.command.volume;

import org.jspecify.annotations.NullMarked;
