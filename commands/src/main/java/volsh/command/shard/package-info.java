/** Commands for datasets of shards: pack, list, show, verify, unpack, convert, read and split them. */
package volsh.command.shard;
