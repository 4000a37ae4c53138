/**
 * The verbs for files on places that are not volumes: buckets, named stores and local paths. The commands themselves
 * are in {@code volsh.command.file}.
 */
@NullMarked
package volsh.command.object;

import org.jspecify.annotations.NullMarked;
