/** JSON as plain values: maps, lists, strings, numbers, booleans. For small files that people may want to read. */
@NullMarked
package volsh.json;

import org.jspecify.annotations.NullMarked;
