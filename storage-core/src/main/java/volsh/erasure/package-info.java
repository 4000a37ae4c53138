/** Reed-Solomon over GF(2^8): any k of k + m equally long pieces give all the others back. Knows nothing of stores. */
@NullMarked
package volsh.erasure;

import org.jspecify.annotations.NullMarked;
