/**
 * Shards: many samples of a dataset in one file. Formats that training tools read (WebDataset, TFRecord, MDS, records,
 * tokens, mmap), and what is done with them: pack, read, verify, unpack, convert, split over ranks.
 */
@NullMarked
package volsh.shard;

import org.jspecify.annotations.NullMarked;
