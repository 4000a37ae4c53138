/**
 * Benches that need volumes of their own: what a cache is worth, what it hits pass after pass beside what was forecast, and what stripes are worth. The
 * volumes and their stores are below a directory of the bench's own, which is gone afterwards; stores answer as options of their URLs say.
 */
@NullMarked
package volsh.trial;

import org.jspecify.annotations.NullMarked;
