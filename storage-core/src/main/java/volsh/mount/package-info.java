/**
 * Mounted volumes as processes: starting them and waiting until they answer, finding, querying and ending them, and
 * cleaning up after those that died. Knows volumes and transports; nothing of commands.
 */
@NullMarked
package volsh.mount;

import org.jspecify.annotations.NullMarked;
