/**
 * Makes a place the same as another: two trees are compared in one pass over their listings, of which neither is held;
 * what differs is copied, and what the source lacks is removed if that is asked for.
 */
@NullMarked
package volsh.sync;

import org.jspecify.annotations.NullMarked;
