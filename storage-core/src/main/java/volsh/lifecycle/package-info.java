/** How volumes come and go: created, attached, detached, destroyed. */
@NullMarked
package volsh.lifecycle;

import org.jspecify.annotations.NullMarked;
