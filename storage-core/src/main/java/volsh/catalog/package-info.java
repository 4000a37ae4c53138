/**
 * What this machine knows of volumes and stores: their records in the home, specifications and drafts, paths as
 * people write them, and the locks that guard them.
 */
@NullMarked
package volsh.catalog;

import org.jspecify.annotations.NullMarked;
