/**
 * Copies trees of files into, out of, within and between volumes, and walks and removes them: many files at a time,
 * each whole or not there. Knows open volumes and local files, and nothing of commands.
 */
@NullMarked
package volsh.transfer;

import org.jspecify.annotations.NullMarked;
