/**
 * Work that outlives the terminal it was started from: each job is a process of its own with a small record, a log and the number it ended
 * with, which everybody with the same home can see. Knows nothing of what jobs do.
 */
@NullMarked
package volsh.job;

import org.jspecify.annotations.NullMarked;
