/**
 * Traces of the requests of programs to a mount: reading them, replaying them elsewhere, and predicting the hits of a
 * cache of another size.
 */
@NullMarked
package volsh.trace;

import org.jspecify.annotations.NullMarked;
