/**
 * Views: directories of small files that appear as tar shards. A shard of a view is a file like any other whose bytes
 * are blocks of the samples it shows, and headers of its own.
 */
@NullMarked
package volsh.view;

import org.jspecify.annotations.NullMarked;
