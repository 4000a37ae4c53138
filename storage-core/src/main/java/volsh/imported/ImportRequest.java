package volsh.imported;

import volsh.block.StoreUrl;
import volsh.fs.Owner;

/**
 * What to import.
 *
 * @param directory the inode that the objects become files of; 0 if there is no such directory yet, for a dry run
 * @param owner of new files and directories
 * @param refresh whether files also follow objects that changed and are gone since they were imported
 * @param dry whether to look only
 */
public record ImportRequest(StoreUrl url, long directory, Owner owner, boolean refresh, boolean dry) {}
