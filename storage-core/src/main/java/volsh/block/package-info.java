/**
 * Stores of immutable blocks under flat keys, and stores over stores (retrying, hedged, throttled, slow, faulty). Backends live
 * in sub-packages. Knows nothing of what the bytes mean.
 */
@NullMarked
package volsh.block;

import org.jspecify.annotations.NullMarked;
