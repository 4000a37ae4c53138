package volsh.upkeep;

import java.util.HashMap;
import java.util.Map;
import volsh.fs.BlockRow;
import volsh.fs.ImportedBlock;
import volsh.meta.NodeRow;
import volsh.quota.Account;

/** Totals counted from the rows themselves. */
public final class RowTally {
    private final Map<Account, long[]> accounts = new HashMap<>();
    private long bytes;
    private long inodes;
    private long directories;
    private long extents;
    private long versions;
    private long blocks;
    private long storedBytes;
    private long importedBytes;
    private long waiting;
    private long read;

    /** Counts a file or directory with a name. */
    public void linked(long size, boolean directory) {
        bytes += size;
        inodes++;
        directories += directory ? 1 : 0;
    }

    /** Counts it for its project and its owners. */
    public void account(NodeRow row) {
        if (row.project() != 0) {
            account(Account.project(row.project()), row.size());
        }
        account(Account.user(row.uid()), row.size());
        account(Account.group(row.gid()), row.size());
    }

    /** Counts it for its project only. */
    public void project(NodeRow row) {
        if (row.project() != 0) {
            account(Account.project(row.project()), row.size());
        }
    }

    private void account(Account account, long size) {
        long[] counts = accounts.computeIfAbsent(account, id -> new long[2]);
        counts[0] += size;
        counts[1]++;
    }

    /** Bytes and inodes of each project, and of each counted owner. */
    public Map<Account, long[]> accounts() {
        return accounts;
    }

    public void extent() {
        extents++;
    }

    public void version() {
        versions++;
    }

    /** Counts a block that is not dead. */
    public void block(BlockRow row) {
        blocks++;
        storedBytes += row.ownBytes();
        importedBytes += ImportedBlock.is(row.id()) ? row.rawSize() : 0;
    }

    /** Counts a block that is not in the store, and may be in a journal of another host. */
    public void waiting() {
        waiting++;
    }

    synchronized void read(long stored) {
        read += stored;
    }

    public long bytes() {
        return bytes;
    }

    public long inodes() {
        return inodes;
    }

    public long directories() {
        return directories;
    }

    public long extents() {
        return extents;
    }

    public long versions() {
        return versions;
    }

    public long blocks() {
        return blocks;
    }

    public long storedBytes() {
        return storedBytes;
    }

    public long importedBytes() {
        return importedBytes;
    }

    public long blocksElsewhere() {
        return waiting;
    }

    public synchronized long bytesRead() {
        return read;
    }
}
