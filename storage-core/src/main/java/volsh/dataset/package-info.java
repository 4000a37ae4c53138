/**
 * Datasets: the directories they are in, on local disks and in open volumes, and what is packed: files in compact
 * tables, grouped into samples with their classes.
 */
@NullMarked
package volsh.dataset;

import org.jspecify.annotations.NullMarked;
