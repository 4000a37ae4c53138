/** Limits on the usage of a volume, a directory, a user or a group, and what a session may still use of them. */
@NullMarked
package volsh.quota;

import org.jspecify.annotations.NullMarked;
