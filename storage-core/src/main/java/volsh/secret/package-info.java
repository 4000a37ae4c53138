/** Secrets of the environment, and how they are passed from one volsh process to the next. Knows no other package. */
@NullMarked
package volsh.secret;

import org.jspecify.annotations.NullMarked;
