/**
 * What programs asked of a mount, written down request by request: reading such a trace, doing the same again somewhere else, and what
 * a cache of another size would have
 * had of it.
 */
@NullMarked
package volsh.trace;

import org.jspecify.annotations.NullMarked;
