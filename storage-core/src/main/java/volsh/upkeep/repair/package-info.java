/** Repairs what a check found, one kind of damage at a time, with a log of every row that changes. */
package volsh.upkeep.repair;
