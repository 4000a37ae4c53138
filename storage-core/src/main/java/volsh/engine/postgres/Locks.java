package volsh.engine.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.TreeMap;
import volsh.engine.BufferedTransaction.Writes;
import volsh.engine.MetaKey;

/**
 * The locks that a commit takes, so that what it checks stays true until it is written. There are three kinds, each a
 * hash of its object; a hash collision only causes unnecessary waiting.
 *
 * <pre>
 *  the volume   shared by every commit; exclusive, as the only lock, for one that scans far or touches many keys
 *  a group      all keys with the same first nine bytes (a directory, the extents of a file):
 *               shared for writing a row of it, exclusive for having scanned within it
 *  a key        exclusive for writing the row; shared for having read it, there or not, and for holding it
 * </pre>
 *
 * So nothing appears in, or leaves, a scanned range, and still any number of entries can be created in a directory
 * concurrently. The locks of a commit are sorted, and the volume's is the first: there are no deadlocks. How keys map
 * to locks is part of the format: every client must do it alike.
 */
record Locks(String schema) {
    /** PostgreSQL allows 64 locks per connection by default. */
    static final int COUNT_MAX = 60;

    private static final int GROUP_LENGTH = 9;
    private static final byte VOLUME = 0;
    private static final byte GROUP = 1;
    private static final byte KEY = 2;

    /** The locks for a commit, in the order to take them. The lowest bit means exclusive. */
    Long[] of(PostgresReads reads, Writes writes) {
        var exclusive = new TreeMap<Long, Boolean>();
        for (var scan : reads.scans()) {
            if (!isWithinGroup(scan)) {
                return wide();
            }
            exclusive.put(group(scan.from()), true);
        }
        writes.rows().forEach(row -> write(row.key(), exclusive));
        writes.sums().forEach(sum -> write(sum.key(), exclusive));
        reads.keys().forEach(key -> exclusive.putIfAbsent(key(key), false));
        writes.held().forEach(key -> exclusive.putIfAbsent(key(key), false));
        return exclusive.size() > COUNT_MAX ? wide() : inOrder(exclusive);
    }

    private void write(MetaKey key, TreeMap<Long, Boolean> exclusive) {
        exclusive.put(key(key), true);
        exclusive.putIfAbsent(group(key), false);
    }

    private Long[] wide() {
        return new Long[] {volume() | 1};
    }

    private Long[] inOrder(TreeMap<Long, Boolean> exclusive) {
        var locks = new Long[exclusive.size() + 1];
        locks[0] = volume();
        int count = 1;
        for (var lock : exclusive.entrySet()) {
            locks[count++] = lock.getKey() | (lock.getValue() ? 1 : 0);
        }
        return locks;
    }

    /** Whether all keys of the range begin with the same nine bytes. */
    static boolean isWithinGroup(PostgresReads.Scan scan) {
        byte[] from = scan.from().bytes();
        if (from.length < GROUP_LENGTH) {
            return false;
        }
        byte[] group = Arrays.copyOf(from, GROUP_LENGTH);
        return isAllOnes(group) || scan.to().compareTo(MetaKey.of(group).afterPrefix()) <= 0;
    }

    private static boolean isAllOnes(byte[] group) {
        for (byte part : group) {
            if (part != (byte) 0xff) {
                return false;
            }
        }
        return true;
    }

    long volume() {
        return hash(VOLUME, new byte[0], 0);
    }

    long group(MetaKey key) {
        return hash(GROUP, key.bytes(), Math.min(GROUP_LENGTH, key.bytes().length));
    }

    long key(MetaKey key) {
        return hash(KEY, key.bytes(), key.bytes().length);
    }

    /** 64-bit FNV-1a, mixed, with the lowest bit left free. */
    private long hash(byte kind, byte[] bytes, int length) {
        long hash = 0xcbf29ce484222325L;
        for (byte part : schema.getBytes(UTF_8)) {
            hash = (hash ^ (part & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ 0xff) * 0x100000001b3L;   // in no schema name
        hash = (hash ^ kind) * 0x100000001b3L;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return (hash ^ (hash >>> 31)) & ~1L;
    }
}
