/**
 * Pipes of typed rows: the words behind {@code |}, such as {@code where}, {@code select} and {@code sort}. Knows
 * nothing of lines or code; {@code command.line} hands it rows and words.
 */
@NullMarked
package volsh.command.pipe;

import org.jspecify.annotations.NullMarked;
