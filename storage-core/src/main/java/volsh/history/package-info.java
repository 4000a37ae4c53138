/**
 * The past of the name space: past states to read, versions of a path, what was removed, copies of trees as of a
 * moment, and purging history that is no longer kept.
 */
@NullMarked
package volsh.history;

import org.jspecify.annotations.NullMarked;
