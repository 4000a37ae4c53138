/** Work on a volume as a whole: check and repair, dump and load, moving its metadata to another engine. */
@NullMarked
package volsh.maintain;

import org.jspecify.annotations.NullMarked;
