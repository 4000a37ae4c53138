/** Repairs what a check found, one kind of damage at a time, with a log of every row that changes. */
@NullMarked
package volsh.upkeep.repair;

import org.jspecify.annotations.NullMarked;
