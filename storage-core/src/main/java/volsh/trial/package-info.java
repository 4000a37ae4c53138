/**
 * Benches that need volumes of their own: the effect of caches, hit ratios of passes against their forecast, and the
 * effect of layouts. Volumes and stores are below a temporary directory of the bench; the URLs of stores set their
 * latency and bandwidth.
 */
@NullMarked
package volsh.trial;

import org.jspecify.annotations.NullMarked;
