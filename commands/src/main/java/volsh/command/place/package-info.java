/** The commands about where blocks are: {@code stripe}, {@code heal}, {@code scrub}, {@code chaos} and {@code store drain}. */
package volsh.command.place;
