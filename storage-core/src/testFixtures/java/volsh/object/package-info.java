/** The contract of an object store, for the tests of every implementation. */
@NullMarked
package volsh.object;

import org.jspecify.annotations.NullMarked;
