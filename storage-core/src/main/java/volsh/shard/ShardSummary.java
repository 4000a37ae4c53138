package volsh.shard;

import java.util.Map;

/**
 * A finished shard as the index of its dataset describes it.
 *
 * @param name  the name of its file, without directories
 * @param facts what the writer knows besides and the index of its format needs, such as the columns of an MDS shard;
 *              JSON values only
 */
public record ShardSummary(String name, long samples, long bytes, Map<String, Object> facts) {}
