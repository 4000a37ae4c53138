package volsh.disk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The bytes of one simulated file: as a reader sees them, as they are on the platter, and the writes between the two.
 */
final class SimulatedFile {
    private static final int SECTOR = 512;

    private byte[] seen = {};
    private int seenLength;
    private byte[] durable = {};
    private final List<Write> unsynced = new ArrayList<>();
    long modifiedMillis;

    private record Write(int position, byte[] bytes) {
        int end() {
            return position + bytes.length;
        }
    }

    int length() {
        return seenLength;
    }

    int read(ByteBuffer target, long position) {
        int count = (int) Math.max(0, Math.min(target.remaining(), seenLength - position));
        if (count > 0) {
            target.put(seen, (int) position, count);
        }
        return count;
    }

    void write(ByteBuffer source, long position) {
        var bytes = new byte[source.remaining()];
        source.get(bytes);
        var write = new Write(Math.toIntExact(position), bytes);
        unsynced.add(write);
        seenLength = Math.max(seenLength, write.end());
        if (seen.length < seenLength) {
            seen = Arrays.copyOf(seen, Math.max(seenLength, seen.length * 2));
        }
        System.arraycopy(bytes, 0, seen, write.position(), bytes.length);
    }

    void sync() {
        unsynced.forEach(write -> durable = apply(durable, write));
        unsynced.clear();
    }

    /** As on Linux: readers see the bytes, the next sync succeeds, and yet they never reach the platter. */
    void syncFails() {
        unsynced.clear();
    }

    private static byte[] apply(byte[] target, Write write) {
        byte[] applied = target.length < write.end() ? Arrays.copyOf(target, write.end()) : target;
        System.arraycopy(write.bytes(), 0, applied, write.position(), write.bytes().length);
        return applied;
    }

    /**
     * Power is lost: of what was not synced, every sector holds the state after some of its writes (none, a few, all),
     * independently of its neighbours, and the length is one that the file has had. What was synced stays.
     */
    void crash(Random random) {
        int keep = random.nextInt(4);
        int length = keep == 0 ? durable.length : length(random.nextInt(unsynced.size() + 1));
        byte[] survivor = Arrays.copyOf(durable, length);
        for (int at = 0; at < length; at += SECTOR) {
            int writes = keep == 0 ? 0 : keep == 1 ? unsynced.size() : random.nextInt(unsynced.size() + 1);
            for (Write write : unsynced.subList(0, writes)) {
                copySector(write, survivor, at);
            }
        }
        durable = survivor;
        seen = survivor.clone();
        seenLength = length;
        unsynced.clear();
    }

    private int length(int writes) {
        return unsynced.subList(0, writes).stream().mapToInt(Write::end).reduce(durable.length, Math::max);
    }

    private static void copySector(Write write, byte[] target, int at) {
        int from = Math.max(at, write.position());
        int to = Math.min(Math.min(at + SECTOR, target.length), write.end());
        if (from < to) {
            System.arraycopy(write.bytes(), from - write.position(), target, from, to - from);
        }
    }
}
