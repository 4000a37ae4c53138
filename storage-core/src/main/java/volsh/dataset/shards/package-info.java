/**
 * Packs samples into shards, and reads, verifies, indexes, unpacks, converts and splits shards. The formats are in
 * {@code volsh.shard.format}.
 */
@NullMarked
package volsh.dataset.shards;

import org.jspecify.annotations.NullMarked;
