package volsh.sync;

import volsh.transfer.Summary;

/**
 * What a sync did.
 *
 * @param copied files copied, and what failed
 * @param removed files and directories that were removed
 * @param unchanged files that were the same
 * @param extra files that only the target has, and that stay because deleting was not asked for
 */
public record SyncSummary(Summary copied, long removed, long unchanged, long extra) {}
