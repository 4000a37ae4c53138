/**
 * Rows of the metadata other than names and files: packs, places on stores, journals, garbage collection, the volume
 * record; and every row by its kind, for code that reads all of them.
 */
@NullMarked
package volsh.inventory;

import org.jspecify.annotations.NullMarked;
