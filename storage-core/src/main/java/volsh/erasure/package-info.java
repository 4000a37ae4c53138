/** Reed-Solomon over GF(2^8): any k of k + m pieces of one length restore all the others. Knows nothing of stores. */
@NullMarked
package volsh.erasure;

import org.jspecify.annotations.NullMarked;
