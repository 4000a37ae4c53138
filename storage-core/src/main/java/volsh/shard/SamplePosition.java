package volsh.shard;

/** Where a sample lies in its shard. */
public record SamplePosition(String key, long offset, long length) {}
