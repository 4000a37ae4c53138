package volsh.fs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Small files above the inline limit that were written a moment ago. Their bytes are in the metadata, where a close
 * puts them in one transaction instead of waiting for a store, and wait to be stored together. What waits is bounded:
 * beyond that, files are stored one by one. A file that is forgotten here stays in the metadata, whole, until the small
 * files of its directory are packed.
 */
public final class GatheredFiles {
    /** A file counts as this at least: so the number of files is bounded, too. */
    private static final long BYTES_MIN = 4096;

    private final Map<Long, Long> waiting = new LinkedHashMap<>();   // sizes, oldest first
    private final ReentrantLock turn = new ReentrantLock();
    private int largest;
    private long bytesMax;
    private long bytes;
    private long added;
    private volatile int limit;

    public GatheredFiles() {}

    /** Gathers files of at most {@code size} bytes from now on, while less than {@code most} bytes wait; 0: none. */
    public synchronized void accept(int size, long most) {
        largest = size;
        bytesMax = most;
        limit();
    }

    private void limit() {
        limit = bytes < bytesMax ? largest : 0;
    }

    /** The size of the largest file to be gathered now; 0 if none is. */
    public int largest() {
        return limit;
    }

    /** The file has {@code size} bytes in the metadata. */
    public synchronized void add(long ino, long size) {
        added++;
        put(ino, Math.max(size, BYTES_MIN));
    }

    private void put(long ino, long size) {
        var before = waiting.remove(ino);
        waiting.put(ino, size);
        bytes += size - (before == null ? 0 : before);
        limit();
    }

    /** Stores files together; false if they still wait. */
    public interface Storing {
        boolean run(List<Long> inos) throws IOException;
    }

    /**
     * Runs this with the files that have waited longest, at most {@code some} bytes but at least one file; returns how
     * many. One thread at a time: so when all have been taken, all are stored.
     */
    public int store(long some, Storing storing) throws IOException {
        turn.lock();
        try {
            var taken = take(some);
            boolean done = false;
            try {
                done = storing.run(List.copyOf(taken.keySet()));
            } finally {
                if (!done) {
                    putBack(taken);
                }
            }
            return taken.size();
        } finally {
            turn.unlock();
        }
    }

    private synchronized Map<Long, Long> take(long some) {
        var taken = new LinkedHashMap<Long, Long>();
        long sum = 0;
        for (var each = waiting.entrySet().iterator(); each.hasNext(); ) {
            var file = each.next();
            if (sum > 0 && sum + file.getValue() > some) {
                break;
            }
            taken.put(file.getKey(), file.getValue());
            sum += file.getValue();
            each.remove();
        }
        bytes -= sum;
        limit();
        return taken;
    }

    private synchronized void putBack(Map<Long, Long> taken) {
        taken.forEach((ino, size) -> {
            if (!waiting.containsKey(ino)) {
                put(ino, size);
            }
        });
    }

    /**
     * What waits.
     *
     * @param added how many files have been added so far
     */
    public record Waiting(int files, long bytes, long added) {}

    public synchronized Waiting waiting() {
        return new Waiting(waiting.size(), bytes, added);
    }
}
