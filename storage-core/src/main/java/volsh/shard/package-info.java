/**
 * Shards: many samples of a dataset in one file. What a sample, its fields and its position are, and what readers and
 * writers of any format promise.
 */
@NullMarked
package volsh.shard;

import org.jspecify.annotations.NullMarked;
