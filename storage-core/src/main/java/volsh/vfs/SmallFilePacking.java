package volsh.vfs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import volsh.chunk.Chunks;
import volsh.fs.GatheredFiles;
import volsh.meta.Namespace;
import volsh.meta.SmallFiles;

/** Stores the small files of a volume together, see {@link FilePacking}, and tells which are not. */
public final class SmallFilePacking {
    private static final long BLOCK = 4 << 20;

    private final Namespace names;
    private final Chunks chunks;
    private final HeldTicks held;
    private final Coherence coherence;

    SmallFilePacking(Namespace names, Chunks chunks, HeldTicks held, Coherence coherence) {
        this.names = names;
        this.chunks = chunks;
        this.held = held;
        this.coherence = coherence;
    }

    /** Packs a file, or the files of a directory and, if {@code below}, of everything below it. */
    public PackingReport pack(long ino, boolean below, PackingRules rules, PackingListener listener)
            throws IOException {
        var packing = new FilePacking(new SmallFiles(names.changes()), chunks, held, coherence, rules, listener);
        new PackingWalk(names, packing, listener).add(ino, below);
        return packing.end();
    }

    /**
     * From now on a close may leave files of at most {@code size} bytes in the metadata, while less than {@code most}
     * bytes wait there for {@link #storeGathered}; 0: none. Not where removed bytes stay in the metadata for a while.
     */
    public void gather(int size, long most) throws IOException {
        chunks.gathered().accept(size > 0 && keepsHistory() ? 0 : size, most);
    }

    private boolean keepsHistory() throws IOException {
        return new SmallFiles(names.changes()).keepsHistory();
    }

    /** The files that wait for {@link #storeGathered}. */
    public GatheredFiles.Waiting gathered() {
        return chunks.gathered().waiting();
    }

    /** Stores all files together that wait now. */
    public void storeGathered(PackingListener listener) throws IOException {
        int left = gathered().files();
        do {
            left -= storeGathered(BLOCK, listener);   // also if none waits: others may be storing the last
        } while (left > 0 && !listener.stopped() && gathered().files() > 0);
    }

    /**
     * Stores together the files that waited longest, {@code bytes} at most; returns how many files. If that fails,
     * they wait again.
     */
    public int storeGathered(long bytes, PackingListener listener) throws IOException {
        return chunks.gathered().store(bytes, inos -> {
            var packing = new GatheredPacking(new SmallFiles(names.changes()), chunks, coherence, PackingRules.GENTLE,
                    listener);
            packing.add(inos);
            packing.end();
            return !listener.stopped();
        });
    }

    /** Calls the listener with each small file that is written into a block of its own, or gathered. */
    public void onSmall(LongConsumer listener) {
        chunks.onSmall(listener);
    }

    /** The directories of those of these files that exist, and how many of the files each has. */
    public Map<Long, Integer> directories(List<Long> inos) throws IOException {
        return new SmallFiles(names.changes()).directories(inos);
    }
}
