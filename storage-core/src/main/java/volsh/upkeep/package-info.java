/**
 * Maintenance of a volume as a whole: checks every row and object against all others and repairs what is wrong, dumps a
 * volume as text and loads it again, computes statistics. Reads rows in pages and keeps temporary data in files, so
 * memory is bounded whatever the size of the volume.
 */
@NullMarked
package volsh.upkeep;

import org.jspecify.annotations.NullMarked;
