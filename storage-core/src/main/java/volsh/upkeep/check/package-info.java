/** Compares every row and object of a volume with each other and names what is wrong. */
@NullMarked
package volsh.upkeep.check;

import org.jspecify.annotations.NullMarked;
