/**
 * Mounted volumes as processes: starting one and knowing that it answers, finding them, asking them, ending them, and
 * cleaning up after those that died. Knows volumes and transports; nothing of commands.
 */
@NullMarked
package volsh.mount;

import org.jspecify.annotations.NullMarked;
