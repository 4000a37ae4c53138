/**
 * Looks after a volume as a whole: checks every row and object against all others and repairs what is wrong, writes a volume
 * down as text and makes one of it again, counts what is there. Reads rows in pages and keeps what it has to remember in
 * files, so memory is bounded whatever the size of the volume.
 */
package volsh.upkeep;
