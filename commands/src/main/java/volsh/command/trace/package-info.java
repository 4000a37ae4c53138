/** Commands that record, show and replay traces of requests to a mount, and simulate caches on them. */
@NullMarked
package volsh.command.trace;

import org.jspecify.annotations.NullMarked;
