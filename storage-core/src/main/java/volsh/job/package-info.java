/**
 * Work that outlives the terminal it was started from: each job is a process of its own with a small record, a log and
 * an exit code, visible to all processes with the same home. Knows nothing of what jobs do.
 */
@NullMarked
package volsh.job;

import org.jspecify.annotations.NullMarked;
