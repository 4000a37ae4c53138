/** Compares every row and object of a volume with each other and names what is wrong. */
package volsh.upkeep.check;
