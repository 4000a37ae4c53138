/**
 * Commands for the placement of blocks: {@code stripe}, {@code heal}, {@code scrub}, {@code chaos} and {@code store
 * drain}.
 */
@NullMarked
package volsh.command.place;

import org.jspecify.annotations.NullMarked;
