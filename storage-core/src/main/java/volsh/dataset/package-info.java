/**
 * Datasets: finds the samples in directories, lists and manifests, packs them into shards, and reads, verifies, unpacks,
 * converts and splits shards. Works on directories of local disks and of open volumes alike; the formats of shards are
 * in {@link volsh.shard}.
 */
@NullMarked
package volsh.dataset;

import org.jspecify.annotations.NullMarked;
