/** The metadata of a volume as lines of text, and a volume made from them. */
package volsh.upkeep.dump;
