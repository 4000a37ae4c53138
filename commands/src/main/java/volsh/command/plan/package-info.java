/** Commands that compute the storage needs of a job. They change nothing, and every answer shows its formula. */
@NullMarked
package volsh.command.plan;

import org.jspecify.annotations.NullMarked;
