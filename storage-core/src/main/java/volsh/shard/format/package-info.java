/**
 * Writers and readers of the formats of shards, behind {@link volsh.shard.format.Formats}: WebDataset, TFRecord, MDS,
 * records, tokens and mmap, as docs/SHARDS.md specifies them byte by byte.
 */
@NullMarked
package volsh.shard.format;

import org.jspecify.annotations.NullMarked;
