/**
 * Commands for the placement of blocks: {@code stripe}, {@code heal}, {@code scrub}, {@code chaos} and {@code store
 * drain}.
 */
package volsh.command.place;
