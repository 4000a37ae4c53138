/**
 * Stores of immutable blocks under flat keys, and decorators of stores (retrying, hedged, throttled, slow, faulty).
 * Backends are in sub-packages. Knows nothing of what the bytes mean.
 */
@NullMarked
package volsh.block;

import org.jspecify.annotations.NullMarked;
