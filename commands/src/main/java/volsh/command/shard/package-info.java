/** Commands for datasets of shards: pack, list, show, verify, unpack, convert, read and split them. */
@NullMarked
package volsh.command.shard;

import org.jspecify.annotations.NullMarked;
