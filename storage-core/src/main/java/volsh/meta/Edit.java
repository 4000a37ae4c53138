package volsh.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import volsh.engine.Delta;
import volsh.engine.Keys;
import volsh.engine.MetaDamagedException;
import volsh.engine.MetaEngine;
import volsh.engine.MetaKey;
import volsh.fs.BlockRow;
import volsh.fs.DirectoryEntry;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.ImportedBlock;
import volsh.fs.Name;
import volsh.quota.Account;
import volsh.quota.Charge;
import volsh.quota.QuotaKeys;

/**
 * A change of the name space within one transaction. Rows of the name space go through {@link #put} and
 * {@link #remove}, which stamp them with the tick and keep the old version where history needs it.
 */
public final class Edit extends View {
    /** Keys that any change may need besides its own: ticks, usage, an inode's row and its history, quotas. */
    private static final int RESERVE = 40;

    /** Nanoseconds since the epoch, one moment for the whole change. */
    public final long now;

    private final long clockSeconds;
    private final int lane;
    private final NewBlocks newBlocks;
    private final Uses uses = new Uses(this);
    private final Map<Account, Charge> charges = new HashMap<>();
    private long tick = -1;
    private long counted = -1;
    private @Nullable Retained retained;

    public Edit(MetaEngine.Transaction tx, Instant moment, long session) {
        this(tx, moment, session, block -> {});
    }

    /** An edit that introduces only blocks accepted by {@code newBlocks}. */
    Edit(MetaEngine.Transaction tx, Instant moment, long session, NewBlocks newBlocks) {
        super(tx);
        this.newBlocks = newBlocks;
        this.now = moment.getEpochSecond() * 1_000_000_000L + moment.getNano();
        this.clockSeconds = moment.getEpochSecond();
        this.lane = lane(session);
    }

    /** Decides whether a change may introduce a block that no row names yet. */
    interface NewBlocks {
        void require(BlockRow block) throws FsException;
    }

    NewBlocks newBlocks() {
        return newBlocks;
    }

    /** Announces that these rows are going to be read and written, along with those that every such change reads. */
    void expectChange(MetaKey... keys) throws IOException {
        tx.expect(withUsual(keys));
    }

    /** Like {@link #expectChange}, for these entries, the inodes they name, and these rows. */
    void expectChangeNamed(List<MetaKey> entries, MetaKey... others) throws IOException {
        expectNamed(entries, withUsual(others));
    }

    private static List<MetaKey> withUsual(MetaKey... keys) {
        var all = new ArrayList<>(List.of(keys));
        all.addAll(List.of(Keys.TICK, Keys.RETAINED, QuotaKeys.COUNTED));
        return all;
    }

    /** The tick of this change: the clock's second, unless that would run backwards. */
    public long tick() throws IOException {
        if (tick < 0) {
            byte[] row = tx.get(Keys.TICK);
            long last = row == null ? 0 : ByteBuffer.wrap(row).getLong();
            tick = Math.max(last, clockSeconds);
            if (tick != last) {
                tx.put(Keys.TICK, ByteBuffer.allocate(8).putLong(tick).array());
            }
        }
        return tick;
    }

    /** Writes a row of the name space. Returns whether the version it replaces stays in history. */
    public boolean put(MetaKey key, byte[] content) throws IOException {
        boolean kept = keep(key, tx.get(key));
        tx.put(key, ByteBuffer.allocate(SINCE_BYTES + content.length).putLong(tick()).put(content).array());
        return kept;
    }

    /** Writes a row of the name space that cannot have been there before: it belongs to a new inode. */
    public void putNew(MetaKey key, byte[] content) throws IOException {
        tx.put(key, ByteBuffer.allocate(SINCE_BYTES + content.length).putLong(tick()).put(content).array());
    }

    /** Deletes a row of the name space. Returns whether its version stays in history. */
    public boolean remove(MetaKey key) throws IOException {
        byte[] old;
        try {
            old = tx.get(key);
        } catch (MetaDamagedException lost) {
            requireOnlyBytes(key, lost);
            tx.delete(key);
            return false;
        }
        if (old == null) {
            return false;
        }
        tx.delete(key);
        return keep(key, old);
    }

    /** Allows removing a damaged row that nothing depends on, so that a file with lost bytes can be removed. */
    private static void requireOnlyBytes(MetaKey key, MetaDamagedException lost) throws MetaDamagedException {
        switch (key.bytes()[0]) {
            case 'A', 'D', 'L' -> { }
            default -> throw lost;
        }
    }

    private boolean keep(MetaKey key, byte @Nullable [] old) throws IOException {
        if (old == null) {
            return false;
        }
        long since = since(old);
        if (since >= tick() || !retained().needs(since, tick())) {
            return false;
        }
        tx.put(Keys.history(key, tick()), old);
        return true;
    }

    /**
     * Call this before a name stops referring to its inode. If either of them changed in this very tick, no tick ends
     * with this state: a row of its own keeps it, in a volume that keeps history. The bytes stay, like those of any
     * inode that existed in this tick.
     */
    public void keepLast(long directory, DirectoryEntry entry) throws IOException {
        if (retained().window() == 0) {
            return;
        }
        byte[] name = tx.get(Keys.entry(directory, entry.name()));
        byte[] node = tx.get(Keys.node(entry.ino()));
        if (node == null || since(name) < tick() && since(node) < tick()) {
            return;
        }
        var last = tx.scan(Keys.removed(directory, entry.name(), tick(), 0),
                Keys.removed(directory, entry.name(), tick(), Long.MAX_VALUE), 1);
        long number = last.isEmpty() ? Long.MAX_VALUE - 1 : Keys.end(last.getFirst().key()) - 1;
        tx.put(Keys.removed(directory, entry.name(), tick(), number),
                removedRow(since(name), entry.ino(), entry.kind(), NodeRow.parse(content(node))));
    }

    private static long since(byte @Nullable [] row) {
        return ByteBuffer.wrap(row).getLong();
    }

    private Retained retained() throws IOException {
        if (retained == null) {
            retained = Retained.parse(tx.get(Keys.RETAINED));
        }
        return retained;
    }

    public void putNode(long ino, NodeRow node) throws IOException {
        put(Keys.node(ino), node.toBytes());
    }

    /** The directory must still exist when this commits. It is not written, so others may add entries meanwhile. */
    public void holdDirectory(long ino) throws IOException {
        tx.hold(Keys.node(ino));
    }

    /** Counts added or removed entries. The time is never before the tick: it tells the tick of the last change. */
    public void count(long directory, int entries, int directories) throws IOException {
        long time = Math.max(now, tick() * 1_000_000_000L);
        tx.add(Keys.directoryCounters(directory, lane), new DirectoryCounters(entries, directories, 1, time).delta());
    }

    /** Counts entries of a directory under construction: its time stays as in its row. */
    public void countQuietly(long directory, int entries, int directories) throws IOException {
        tx.add(Keys.directoryCounters(directory, lane), new DirectoryCounters(entries, directories, 1, 0).delta());
    }

    /** Folds the counters of a directory into its row, which then holds its times. Returns the row to write. */
    public NodeRow foldCounters(long ino, NodeRow node) throws IOException {
        var counters = counters(ino);
        var prefix = Keys.directoryCounters(ino);
        for (var row : tx.scan(prefix, prefix.afterPrefix(), 8)) {
            tx.delete(row.key());
        }
        tx.add(Keys.directoryCounters(ino, lane),
                new DirectoryCounters(counters.entries(), counters.directories(), counters.changes(), 0).delta());
        return node.withTimes(node.atime(), mtime(node, counters), Math.max(node.ctime(), counters.mtime()));
    }

    /** @throws FsException EXISTS */
    void requireFree(long directory, Name name) throws IOException {
        if (find(directory, name) != null) {
            throw new FsException(FsError.EXISTS);
        }
    }

    /** Adds to the usage of the volume. */
    public void use(long bytes, long inodes, long storedBytes) throws IOException {
        tx.add(Keys.usage(lane), new Delta(new long[] {bytes, inodes, storedBytes}, new long[0]));
    }

    /** Counts the root directory of a new volume, from which on all its directories are counted. */
    public void useRoot() throws IOException {
        use(0, 1, 0);
        tx.add(Keys.directories(lane), new Delta(new long[] {1, 1}, new long[0]));
    }

    /** Adds to the bytes that blocks take in the stores of the volume, or in the objects they were imported from. */
    void useBlock(BlockRow block, int blocks) throws IOException {
        if (ImportedBlock.is(block.id())) {
            tx.add(Keys.imported(lane), new Delta(new long[] {blocks * block.rawSize()}, new long[0]));
        } else {
            use(0, 0, blocks * block.storedSize());
        }
    }

    /** Adds the usage of an inode with a name to the volume, its project and its owners. */
    public void use(long ino, NodeRow node, long bytes, long inodes) throws IOException {
        use(bytes, inodes, 0);
        if (node.isDirectory() && inodes != 0) {
            tx.add(Keys.directories(lane), new Delta(new long[] {inodes, 0}, new long[0]));
        }
        var charge = new Charge(bytes, inodes);
        charges.merge(Account.VOLUME, charge, Charge::plus);
        if (node.project() != 0) {
            charge(Account.project(node.project()), charge);
        }
        if (ino < counted()) {
            charge(Account.user(node.uid()), charge);
            charge(Account.group(node.gid()), charge);
        }
    }

    private void charge(Account account, Charge charge) throws IOException {
        tx.add(QuotaKeys.usage(account, lane), charge.delta());
        charges.merge(account, charge, Charge::plus);
    }

    /** Inodes with a smaller number are counted for their owners; the others not yet, see {@link Quotas}. */
    private long counted() throws IOException {
        if (counted < 0) {
            byte[] row = tx.get(QuotaKeys.COUNTED);
            counted = row == null ? 0 : ByteBuffer.wrap(row).getLong();
        }
        return counted;
    }

    /** Whether there are inodes yet to be counted for their owners. */
    public boolean isCountingOwners() throws IOException {
        return counted() != Long.MAX_VALUE;
    }

    /** Moves the usage of an inode with a name to other owners, whose quotas are checked. Returns the row to write. */
    public NodeRow chown(long ino, NodeRow node, int uid, int gid) throws IOException {
        if (node.links() > 0 && (uid != node.uid() || gid != node.gid()) && ino < counted()) {
            var charge = new Charge(node.size(), 1);
            if (uid != node.uid()) {
                charge(Account.user(node.uid()), Charge.NOTHING.minus(charge));
                charge(Account.user(uid), charge);
            }
            if (gid != node.gid()) {
                charge(Account.group(node.gid()), Charge.NOTHING.minus(charge));
                charge(Account.group(gid), charge);
            }
        }
        return node.withOwner(uid, gid);
    }

    /** Counts up to {@code limit} more inodes for their owners, from {@link #counted} on; true if any are left. */
    public boolean countOwners(int limit) throws IOException {
        var rows = tx.scan(Keys.node(counted()), Keys.kind('N').afterPrefix(), limit);
        var found = new HashMap<Account, Charge>();
        for (var row : rows) {
            var node = NodeRow.read(row.key(), row.value());
            if (node.links() > 0) {
                var charge = new Charge(node.size(), 1);
                found.merge(Account.user(node.uid()), charge, Charge::plus);
                found.merge(Account.group(node.gid()), charge, Charge::plus);
            }
        }
        for (var each : found.entrySet()) {
            tx.add(QuotaKeys.usage(each.getKey(), lane), each.getValue().delta());
        }
        counted = rows.size() < limit ? Long.MAX_VALUE : Keys.number(rows.getLast().key(), 0) + 1;
        tx.put(QuotaKeys.COUNTED, ByteBuffer.allocate(Long.BYTES).putLong(counted).array());
        return counted != Long.MAX_VALUE;
    }

    /** Counts an inode with a name to another project. Quotas are not checked: the volume's usage does not grow. */
    void reassign(NodeRow node, int project) throws IOException {
        var charge = new Charge(node.size(), 1);
        if (node.project() != 0) {
            tx.add(QuotaKeys.usage(Account.project(node.project()), lane), Charge.NOTHING.minus(charge).delta());
        }
        if (project != 0) {
            tx.add(QuotaKeys.usage(Account.project(project), lane), charge.delta());
        }
    }

    /** What this change charges to accounts, for the quotas. */
    Map<Account, Charge> charges() {
        return charges;
    }

    /** The reference counts of blocks. */
    public Uses uses() {
        return uses;
    }

    /** How many more keys this change may touch, not counting those it will touch at the end. */
    int room() {
        return tx.room() - uses.keysToSettle() - RESERVE;
    }

    /** Allocates the next {@code count} numbers of an id counter and returns the first. */
    long allocate(MetaKey counter, long count) throws IOException {
        byte[] row = tx.get(counter);
        long first = row == null ? 2 : ByteBuffer.wrap(row).getLong();
        tx.put(counter, ByteBuffer.allocate(8).putLong(first + count).array());
        return first;
    }

    /** Removes every row below the prefix, at most {@code limit}. Returns true when none is left. */
    public boolean removeAll(MetaKey prefix, int limit) throws IOException {
        var rows = tx.scan(prefix, prefix.afterPrefix(), limit + 1);
        for (var row : rows.subList(0, Math.min(limit, rows.size()))) {
            remove(row.key());
        }
        return rows.size() <= limit;
    }

    /** Marks a file as unlinked: its row waits under this key until no session can read the file any more. */
    NodeRow orphan(long ino, NodeRow node) throws IOException {
        tx.put(Keys.orphan(tick(), ino), new byte[0]);
        use(ino, node, -node.size(), -1);
        return node.withLinks(0).withParent(tick()).withCtime(now);
    }

    /** Marks a directory and everything in it as unreachable since that tick: like a file it waits, to be emptied. */
    public void orphanDirectory(long ino, NodeRow node, long since) throws IOException {
        tx.put(Keys.orphan(since, ino), new byte[0]);
        putNode(ino, node.withParent(since));
    }

    static boolean same(byte[] a, byte[] b) {
        return Arrays.equals(a, b);
    }
}
