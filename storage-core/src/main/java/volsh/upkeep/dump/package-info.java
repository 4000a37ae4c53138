/** The metadata of a volume as lines of text, and a volume made from them. */
@NullMarked
package volsh.upkeep.dump;

import org.jspecify.annotations.NullMarked;
