/** Secrets of the environment, and how they get from one process of ours to the next. Knows no other package. */
@NullMarked
package volsh.secret;

import org.jspecify.annotations.NullMarked;
