/**
 * Stores of immutable blocks under flat keys, and stores over stores (retrying, hedged, throttled, slow, faulty). Backends live
 * in sub-packages. Knows nothing of what the bytes mean.
 */
package volsh.block;
