/**
 * Limits on what a volume, a directory, a user or a group may hold, and what a session may still use of them without
 * asking.
 */
@NullMarked
package volsh.quota;

import org.jspecify.annotations.NullMarked;
