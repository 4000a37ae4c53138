/**
 * The language of lines: what a line is (a command, code or nothing) is decided by how it looks, before anything runs;
 * a command line is words, typed pipes and connectors. Code is handed to a {@link volsh.command.line.Language}, which
 * the application lends and which is not touched by lines that have none.
 */
@NullMarked
package volsh.command.line;

import org.jspecify.annotations.NullMarked;
