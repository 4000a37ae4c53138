/** JSON as plain values: maps, lists, texts, whole and other numbers, flags. For small files that people may want to read. */
@NullMarked
package volsh.json;

import org.jspecify.annotations.NullMarked;
