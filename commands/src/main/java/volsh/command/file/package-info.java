/**
 * Commands on files: {@code ls cat stat find du} read, {@code mkdir ln mv cp rm} change, {@code put get} move files
 * between volumes and local disks. A place is written {@code VOLUME:/path}; what anything else names is a local file.
 */
@NullMarked
package volsh.command.file;

import org.jspecify.annotations.NullMarked;
