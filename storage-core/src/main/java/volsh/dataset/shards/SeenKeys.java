package volsh.dataset.shards;

import java.util.Arrays;

/**
 * Which keys a shard had so far: eight bytes for each, a hash of 63 bits. Of ten million different keys two have the
 * same one with a probability of one in a hundred thousand.
 */
final class SeenKeys {
    private long[] table = new long[1024];
    private int count;

    /** Whether the key is new. */
    boolean add(String key) {
        if (count > table.length / 2) {
            var old = table;
            table = new long[2 * old.length];
            Arrays.stream(old).filter(hash -> hash != 0).forEach(this::put);
        }
        boolean fresh = put(hash(key));
        count += fresh ? 1 : 0;
        return fresh;
    }

    private boolean put(long hash) {
        int at = (int) (hash >>> 20) & table.length - 1;
        while (table[at] != 0) {
            if (table[at] == hash) {
                return false;
            }
            at = at + 1 & table.length - 1;
        }
        table[at] = hash;
        return true;
    }

    /** Never 0. */
    private static long hash(String key) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x9e3779b97f4a7c15L;
            hash ^= hash >>> 29;
        }
        hash = (hash ^ hash >>> 32) * 0xd6e8feb86659fd93L;
        return hash ^ hash >>> 32 | 1;
    }
}
